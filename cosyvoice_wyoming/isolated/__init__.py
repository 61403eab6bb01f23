"""An engine in a process of its own, so that its crash, hang or leak is not the server's.

`engine` is the server's side, `child` the other; they exchange the `messages` over a socket pair.
"""
