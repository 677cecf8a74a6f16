"""The numbers of a processor: the row's, with the case's in their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokenspec.models import RowSpec


def settings_of(case_media: Mapping[str, Mapping[str, Any]], spec: RowSpec) -> dict[str, dict[str, Any]]:
    """The numbers of the row's processor with the case's in their place, or beside them."""
    own = spec.media.settings if spec.media is not None else {}
    return {kind: {**own.get(kind, {}), **case_media.get(kind, {})} for kind in {**own, **case_media}}
