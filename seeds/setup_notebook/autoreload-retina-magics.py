%load_ext autoreload
%autoreload 2
%config InlineBackend.figure_format = "retina"
