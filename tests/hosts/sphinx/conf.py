project = "Rollouts"
extensions = ["planarium_sphinx"]
html_theme = "alabaster"
html_static_path = []
exclude_patterns = []
# The theme's search box needs inline scripts and styles.
html_sidebars = {"**": []}
