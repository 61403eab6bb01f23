"""Models on disk: fetched, put together, checked, opened."""

from __future__ import annotations

from cosyvoice_wyoming.bundles.manifest import BundleFile, Manifest, open_bundle
from cosyvoice_wyoming.bundles.progress import Progress, Step, silent
from cosyvoice_wyoming.bundles.store import (
    CatalogEntry,
    State,
    bundle_dir,
    catalog,
    ensure,
    fetch,
    verify,
)

__all__ = [
    "BundleFile",
    "CatalogEntry",
    "Manifest",
    "Progress",
    "State",
    "Step",
    "bundle_dir",
    "catalog",
    "ensure",
    "fetch",
    "open_bundle",
    "silent",
    "verify",
]
