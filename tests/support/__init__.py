"""What several test modules share: a server with the tone engine, and clients for it."""
