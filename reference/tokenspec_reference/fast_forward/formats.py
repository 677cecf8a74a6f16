"""The formats of strings that are understood, as regular expressions of the whole string.

Dates are those of the calendar, leap years included; times may have the second 60. Names of hosts are those of
RFC 1123, addresses of mail those of RFC 5321 without quotes and brackets. A format that is not listed is an annotation.
"""

from __future__ import annotations

DATE = (
    r"(?:\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)"
    r"|02-(?:0[1-9]|1\d|2[0-8]))|(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)"
)
TIME = r"(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+\-](?:[01]\d|2[0-3]):[0-5]\d)"
BYTE = r"(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])"
IPV4 = rf"{BYTE}(?:\.{BYTE}){{3}}"
GROUP = r"[0-9A-Fa-f]{1,4}"
PAIR = rf"(?:{GROUP}:{GROUP}|{IPV4})"
IPV6 = "|".join(
    (
        rf"(?:{GROUP}:){{6}}{PAIR}",
        rf"::(?:{GROUP}:){{5}}{PAIR}",
        rf"(?:{GROUP})?::(?:{GROUP}:){{4}}{PAIR}",
        *(rf"(?:(?:{GROUP}:){{0,{n}}}{GROUP})?::(?:{GROUP}:){{{4 - n}}}{PAIR}" for n in range(1, 5)),
        rf"(?:(?:{GROUP}:){{0,5}}{GROUP})?::{GROUP}",
        rf"(?:(?:{GROUP}:){{0,6}}{GROUP})?::",
    )
)
LABEL = r"[0-9A-Za-z](?:[0-9A-Za-z\-]{0,61}[0-9A-Za-z])?"
HOSTNAME = rf"{LABEL}(?:\.{LABEL})*"
DOMAIN = r"[0-9A-Za-z](?:[0-9A-Za-z\-]*[0-9A-Za-z])?"
ATOM = r"[0-9A-Za-z!#$%&'*+\-/=?^_`{|}~]+"
ESCAPED = r"%[0-9A-Fa-f]{2}"
PCHAR = rf"(?:[0-9A-Za-z\-._~!$&'()*+,;=:@]|{ESCAPED})"
AUTHORITY = (
    rf"(?:(?:[0-9A-Za-z\-._~!$&'()*+,;=:]|{ESCAPED})*@)?"
    rf"(?:\[(?:{IPV6})\]|(?:[0-9A-Za-z\-._~!$&'()*+,;=]|{ESCAPED})*)(?::\d*)?"
)
SEGMENTS = rf"(?:/{PCHAR}*)*"
TAIL = rf"(?:\?(?:{PCHAR}|[/?])*)?(?:#(?:{PCHAR}|[/?])*)?"
HIERARCHY = rf"(?://{AUTHORITY}{SEGMENTS}|/(?:{PCHAR}+{SEGMENTS})?|{PCHAR}+{SEGMENTS}|)"
WITHOUT_COLON = rf"(?:[0-9A-Za-z\-._~!$&'()*+,;=@]|{ESCAPED})"
RELATIVE = rf"(?://{AUTHORITY}{SEGMENTS}|/(?:{PCHAR}+{SEGMENTS})?|{WITHOUT_COLON}+{SEGMENTS}|)"
URI = rf"[A-Za-z][0-9A-Za-z+\-.]*:{HIERARCHY}{TAIL}"
TIMES = r"T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)"
DAYS = r"\d+D"
MONTHS = rf"\d+M(?:{DAYS})?"
FORMATS = {
    "date": DATE,
    "time": TIME,
    "date-time": rf"{DATE}[Tt]{TIME}",
    "duration": rf"P(?:(?:{DAYS}|{MONTHS}|\d+Y(?:{MONTHS})?)(?:{TIMES})?|{TIMES}|\d+W)",
    "uuid": r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
    "ipv4": IPV4,
    "ipv6": IPV6,
    "hostname": HOSTNAME,
    "email": rf"{ATOM}(?:\.{ATOM})*@{DOMAIN}(?:\.{DOMAIN})*",
    "uri": URI,
    "uri-reference": rf"(?:{URI}|{RELATIVE}{TAIL})",
    "json-pointer": r"(?:/(?:[^~/]|~[01])*)*",
    "relative-json-pointer": r"(?:0|[1-9]\d*)(?:#|(?:/(?:[^~/]|~[01])*)*)",
}
