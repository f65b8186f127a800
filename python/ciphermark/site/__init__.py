"""The stored runs of a team as a folder of pages, for any web server and for `file://`."""
