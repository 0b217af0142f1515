"""Floor 3: what is derived from the vault and may be deleted at any time.

onnxruntime reports to its maker over the network from the moment it is loaded, and keeps what it
could not send in the person's home. It is told not to before anything here loads it.
"""

import os

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
