"""The kinds of conversations, by what they are about. Each function makes one conversation in a `Scene`."""
