"""The same voices over HTTP, and the page to hear them: one process, one engine, one set of limits.

Needs the extra `http`; nothing here is imported unless the settings name a port for it.
"""
