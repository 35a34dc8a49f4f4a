project = "Rollouts"
extensions = ["planarium_sphinx"]
html_theme = "alabaster"
html_static_path = []
exclude_patterns = []
