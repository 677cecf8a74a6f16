"""Pictures and videos in a conversation: how many placeholder tokens each stands for, and where they are.

Nothing here looks at a pixel. The number of placeholders follows from the size of a picture (and from the frames of a
video) by the rule its publisher resizes with. Sizes are declared in the part, or read from the file by Pillow (the
extra ``images``).
"""
