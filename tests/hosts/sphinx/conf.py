project = "Rollouts"
extensions = ["planarium_sphinx"]
html_theme = "alabaster"
html_static_path = ["_static"]
html_css_files = ["dark.css"]
exclude_patterns = []
# The theme's search box needs inline scripts and styles.
html_sidebars = {"**": []}
