"""Recommends notebook cells in JupyterLab: the server part."""

from .handlers import add_handlers

__version__ = "0.1.0"


def _jupyter_labextension_paths():
    return [{"src": "labextension", "dest": "celrec-jupyterlab"}]


def _jupyter_server_extension_points():
    return [{"module": "celrec_jupyterlab"}]


def _load_jupyter_server_extension(server_app):
    add_handlers(server_app.web_app)
