"""Install commands in shell scripts, images, workflows, notebooks and prose."""
