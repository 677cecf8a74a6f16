"""Renderers: chat messages to token ids, with the owner and kind of every token."""

from tokenspec_reference.renderers.attribute import attribute_text_segments
from tokenspec_reference.renderers.collate import Batch, collate
from tokenspec_reference.renderers.create import create_renderer
from tokenspec_reference.renderers.families import family_names
from tokenspec_reference.renderers.generate import Completion, Generation, GenerationRequest, generate, generate_async
from tokenspec_reference.renderers.parsing import ParsedResponse, ParsedToolCall
from tokenspec_reference.renderers.rendered import MultiModalData, PlaceholderRange, RenderedTokens
from tokenspec_reference.renderers.renderer import Renderer
from tokenspec_reference.renderers.token_server import AsyncTokenServer, ServerFailed, TokenServer
from tokenspec_reference.renderers.training import (
    RenderedTrainingSample,
    TrajectoryStep,
    build_training_sample,
    build_trajectory_step,
)

__all__ = [
    "AsyncTokenServer",
    "Batch",
    "Completion",
    "Generation",
    "GenerationRequest",
    "MultiModalData",
    "ParsedResponse",
    "ParsedToolCall",
    "PlaceholderRange",
    "RenderedTokens",
    "RenderedTrainingSample",
    "Renderer",
    "ServerFailed",
    "TokenServer",
    "TrajectoryStep",
    "attribute_text_segments",
    "build_training_sample",
    "build_trajectory_step",
    "collate",
    "create_renderer",
    "family_names",
    "generate",
    "generate_async",
]
