"""What lies in an agent's host: the files of our plugins there, and how a host is told of them."""
