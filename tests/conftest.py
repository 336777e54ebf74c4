"""Being here puts this folder on the import path, so that tests find `helpers` and `oracle`."""
