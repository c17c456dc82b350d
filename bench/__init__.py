"""`make bench`: what a question costs this app and a plain loop, in tokens, and what the app itself takes beside."""
