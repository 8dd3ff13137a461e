"""Whole logs as people paste them, written for these tests: what Python, dyld, pip, uv and TensorFlow print around a fault.

The wording of the lines that matter is the programs' own; names, paths and figures are made up.
"""

from __future__ import annotations

NEW_DYLD_21 = """\
(venv) ada@mac project % python train.py
Traceback (most recent call last):
  File "/Users/ada/project/train.py", line 3, in <module>
    import tensorflow as tf
  File "/Users/ada/project/venv/lib/python3.12/site-packages/tensorflow/__init__.py", line 438, in <module>
    _ll.load_library(_plugin_dir)
  File "/Users/ada/project/venv/lib/python3.12/site-packages/tensorflow/python/framework/load_library.py", line 151, in load_library
    py_tf.TF_LoadLibrary(lib)
tensorflow.python.framework.errors_impl.NotFoundError: dlopen(/Users/ada/project/venv/lib/python3.12/site-packages/tensorflow-plugins/libmetal_plugin.dylib, 0x0006): Library not loaded: @rpath/_pywrap_tensorflow_internal.so
  Referenced from: <8B62DBDA-4B1D-3FDB-8C08-6B1D3C8E3A11> /Users/ada/project/venv/lib/python3.12/site-packages/tensorflow-plugins/libmetal_plugin.dylib
  Reason: tried: '/Users/ada/project/venv/lib/python3.12/site-packages/tensorflow-plugins/../_solib_darwin_arm64/_pywrap_tensorflow_internal.so' (no such file)
"""

TWO_LEVEL_SYMBOL = """\
    _ll.load_library(_plugin_dir)
tensorflow.python.framework.errors_impl.NotFoundError: dlopen(/opt/miniconda3/envs/tf/lib/python3.11/site-packages/tensorflow-plugins/libmetal_plugin.dylib, 0x0006): Symbol not found: __ZN3tsl8internal10LogMessageC1EPKcii
  Referenced from: <D2EF42E3-0000-39DD-9982-FB6BCDC2853C> /opt/miniconda3/envs/tf/lib/python3.11/site-packages/tensorflow-plugins/libmetal_plugin.dylib
  Expected in:     <300F849B-0000-3BDA-B8D9-C6617800789D> /opt/miniconda3/envs/tf/lib/python3.11/site-packages/tensorflow/python/_pywrap_tensorflow_internal.so
"""

FLAT_SYMBOL_IN_PARENTHESES = """\
NotFoundError                             Traceback (most recent call last)
Input In [1], in <cell line: 1>()
----> 1 import tensorflow as tf
NotFoundError: dlopen(/Users/ada/miniforge3/envs/ml/lib/python3.9/site-packages/tensorflow-plugins/libmetal_plugin.dylib, 0x0006): symbol not found in flat namespace (_TF_GetInputPropertiesList)
"""

OLD_DYLD = """\
ImportError: dlopen(/Users/ada/venv/lib/python3.9/site-packages/grpc/_cython/cygrpc.cpython-39-darwin.so, 2): Symbol not found: _CFRelease
  Referenced from: /Users/ada/venv/lib/python3.9/site-packages/grpc/_cython/cygrpc.cpython-39-darwin.so
  Expected in: flat namespace
"""

ROSETTA_CRASH = """\
ada@mac ~ % source venv/bin/activate
(venv) ada@mac ~ % python -c 'import tensorflow as tf; print(tf.__version__)'
zsh: illegal hardware instruction  python -c 'import tensorflow as tf; print(tf.__version__)'
"""

ROSETTA_LIST = """\
(venv) ada@mac ~ % pip install tensorflow-macos==2.15.0
ERROR: Could not find a version that satisfies the requirement tensorflow-macos==2.15.0 (from versions: 2.9.0, 2.9.1, 2.9.2, 2.10.0, 2.11.0, 2.12.0)
ERROR: No matching distribution found for tensorflow-macos==2.15.0
"""

INTEL_LIST = """\
Collecting numpy<2
ERROR: Could not find a version that satisfies the requirement tensorflow==2.17.0 (from versions: 2.12.0rc0, 2.12.0rc1, 2.12.0, 2.12.1, 2.13.0, 2.14.0, 2.15.0, 2.15.1, 2.16.1, 2.16.2)
ERROR: No matching distribution found for tensorflow==2.17.0
"""

NO_PLUGIN_FOR_PYTHON = """\
% python3 -m pip install tensorflow tensorflow-metal
Collecting tensorflow
  Downloading tensorflow-2.20.0-cp313-cp313-macosx_12_0_arm64.whl (200.4 MB)
ERROR: Could not find a version that satisfies the requirement tensorflow-metal (from versions: none)
ERROR: No matching distribution found for tensorflow-metal
"""

UV_NO_PLUGIN = """\
  x No solution found when resolving dependencies:
  `-> Because all versions of tensorflow-metal have no wheels with a matching Python ABI tag (e.g., `cp313`) and you require tensorflow-metal, we can conclude that your requirements are unsatisfiable.

      hint: You require CPython 3.13 (`cp313`), but we only found wheels for `tensorflow-metal` (v1.2.0) with the following Python ABI tags: `cp39`, `cp310`, `cp311`, `cp312`
"""

UV_TOO_OLD_FOR_ARM = """\
error: No solution found when resolving dependencies
  cause: Because tensorflow==2.12.0 has no wheels with a matching platform tag (e.g., `macosx_13_0_arm64`) and you require tensorflow==2.12.0, we can conclude that your requirements are unsatisfiable.
"""

OLD_PIN_ON_NEW_PYTHON = """\
ERROR: Could not find a version that satisfies the requirement tensorflow==1.15.0 (from versions: 2.16.0rc0, 2.16.1, 2.16.2, 2.17.0, 2.17.1, 2.18.0)
ERROR: No matching distribution found for tensorflow==1.15.0
"""

PYTHON_3_14 = """\
ERROR: Could not find a version that satisfies the requirement tensorflow (from versions: none)
ERROR: No matching distribution found for tensorflow
"""

NUMPY_2 = """\
A module that was compiled using NumPy 1.x cannot be run in
NumPy 2.0.2 as it may crash. To support both 1.x and 2.x
versions of NumPy, modules must be compiled with NumPy 2.0.
Traceback (most recent call last):  File "<string>", line 1, in <module>
  File "/srv/app/lib/python3.10/site-packages/tensorflow/python/framework/dtypes.py", line 34, in <module>
AttributeError: _ARRAY_API not found
ImportError: numpy.core._multiarray_umath failed to import
TypeError: Unable to convert function return value to a Python type! The signature was
\t() -> handle
"""

PROTOBUF_TOO_NEW = """\
  File "/srv/app/lib/python3.9/site-packages/google/protobuf/descriptor.py", line 553, in __new__
    _message.Message._CheckCalledFromGeneratedFile()
TypeError: Descriptors cannot be created directly.
If this call came from a _pb2.py file, your generated code is out of date and must be regenerated with protoc >= 3.19.0.
"""

KERAS_OF_ANOTHER_MINOR = """\
  File "/srv/app/lib/python3.12/site-packages/tf_keras/src/backend.py", line 34, in <module>
AttributeError: module 'tensorflow._api.v2.compat.v2.__internal__' has no attribute 'register_load_context_function'. Did you mean: 'register_call_context_function'?
"""

XLA_ON_METAL = """\
2023-01-05 12:00:01.000000: W tensorflow/core/framework/op_kernel.cc:1830] OP_REQUIRES failed at xla_ops.cc:418 : NOT_FOUND: could not find registered platform with id: 0x106170d30
tensorflow.python.framework.errors_impl.NotFoundError: Graph execution error:
Detected at node 'StatefulPartitionedCall_212' defined at (most recent call last):
"""

CONTAINER_WITHOUT_AVX = """\
$ docker run --rm -it --platform linux/amd64 tensorflow/tensorflow python -c 'import tensorflow'
The TensorFlow library was compiled to use AVX instructions, but these aren't available on your machine.
qemu: uncaught target signal 6 (Aborted) - core dumped
"""

HDF5 = """\
  building 'h5py.defs' extension
  error: Unable to load dependency HDF5, make sure HDF5 is installed properly
  error: dlopen(libhdf5.dylib, 0x0006): tried: 'libhdf5.dylib' (no such file)
  ERROR: Failed building wheel for h5py
"""

GPU_ERROR = """\
 82/782 [==>...........................] - ETA: 1:02 - loss: 2.1012
Error: command buffer exited with error status.
\tThe Metal Performance Shaders operations encoded on it may not have completed.
\tError:
\t(null)
\tInternal Error (0000000e:Internal Error)
\t<AGXG13XFamilyCommandBuffer: 0x3c48bf500>
"""

ARROW = """\
>>> import tensorflow
>>> import pyarrow
libc++abi: terminating due to uncaught exception of type std::__1::system_error: mutex lock failed: Invalid argument
zsh: abort      python
"""

CUDNN = """\
2025-02-04 20:38:50.230519: E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:522] Loaded runtime CuDNN library: 9.1.0 but source was compiled with: 9.3.0.  CuDNN library needs to have matching major version and equal or higher minor version.
"""

WRONG_WHEEL = """\
ERROR: tensorflow_text-2.15.0-cp310-cp310-macosx_11_0_arm64.whl is not a supported wheel on this platform.
"""

INCOMPATIBLE = """\
ImportError: dlopen(/Users/ada/venv/lib/python3.10/site-packages/tensorflow/python/_pywrap_tensorflow_internal.so, 0x0006): tried: '/Users/ada/venv/lib/python3.10/site-packages/tensorflow/python/_pywrap_tensorflow_internal.so' (mach-o file, but is an incompatible architecture (have 'x86_64', need 'arm64e'))
"""

OLD_SYSTEM = """\
ada@mac ~ % sw_vers
ProductName:		macOS
ProductVersion:		10.16
BuildVersion:		20E241
"""

OLD_SYSTEM_SAID = """\
>>> platform.mac_ver()
('10.16', ('', '', ''), 'arm64')
"""

LEFT_BEHIND = """\
ada@mac ~ % conda env create --file tf.yml
CondaValueError: prefix already exists: /Users/ada/miniforge3/envs/tf
"""

LEGACY = """\
WARNING:absl:There is a known slowdown when using v2.11+ Keras optimizers on M1/M2 Macs. Falling back to the legacy Keras optimizer, i.e., `tf.keras.optimizers.legacy.AdamW`.
ValueError: Unknown optimizer: 'AdamW'. Please ensure you are using a `keras.utils.custom_object_scope`
"""

TF_KERAS_SHOWN_IN_HUBS_SOURCE = """\
ImportError                               Traceback (most recent call last)
File /srv/app/lib/python3.12/site-packages/tensorflow_hub/__init__.py:111
    103       print(
    104           "\\n\\nFailed to import tf_keras. Please note that tf_keras is not"
    105           " installed by default when you install tensorflow_hub. This is so"
ImportError: cannot import name 'dtensor' from 'tensorflow.compat.v2.experimental' (unknown location)
"""

DTENSOR_ALONE = """\
>>> import keras
ImportError: cannot import name 'dtensor'
"""

NO_TF_KERAS = """\
Failed to import tf_keras. Please note that tf_keras is not installed by default when you install tensorflow_hub. This is so that users can decide which tf_keras package to use.
"""

CORE_FOUNDATION = """\
ImportError: dlopen(/opt/homebrew/lib/python3.9/site-packages/grpc/_cython/cygrpc.cpython-39-darwin.so, 0x0002): symbol not found in flat namespace '_CFStringGetCString'
"""

H5PY_BUILD = """\
Building wheels for collected packages: h5py
  Building wheel for h5py (pyproject.toml) ... error
  error: subprocess-exited-with-error
  × Building wheel for h5py (pyproject.toml) did not run successfully.
ERROR: Failed to build installable wheels for some pyproject.toml based projects (h5py)
"""

GRPCIO_BUILD = """\
  Building wheel for grpcio (setup.py): started
  Building wheel for grpcio (setup.py): finished with status 'error'
  error: subprocess-exited-with-error
"""

FLOAT8 = """\
Traceback (most recent call last):
  File "/srv/app/lib/python3.11/site-packages/tensorflow/python/framework/dtypes.py", line 37, in <module>
AttributeError: module 'ml_dtypes' has no attribute 'float8_e4m3b11'
TypeError: Unable to convert function return value to a Python type! The signature was
\t() -> handle
"""

UV_ML_DTYPES = """\
  x No solution found when resolving dependencies:
  `-> Because tensorflow==2.15.0 depends on ml-dtypes>=0.2.0,<0.3.dev0 and flax==0.8.1 depends on ml-dtypes>=0.3.2, we can conclude that flax==0.8.1 and tensorflow==2.15.0 are incompatible.
"""

PIP_ML_DTYPES = """\
The conflict is caused by:
    tensorflow 2.14.0 depends on ml-dtypes==0.2.0
    jax 0.4.25 depends on ml-dtypes>=0.2.1
"""

TYPING_TAKEN_DOWN = """\
ERROR: pip's dependency resolver does not currently take into account all the packages that are installed.
fastapi 0.103.2 requires typing-extensions>=4.8.0, but you have typing-extensions 4.5.0 which is incompatible.
"""

EMPTIED_GPU = """\
Collecting tensorflow-gpu
  Downloading tensorflow-gpu-2.12.0.tar.gz (2.6 kB)
  Preparing metadata (setup.py) ... error
      packaging.requirements.InvalidRequirement: Expected end or semicolon (after name and no valid version specifier)
"""

LOGS = [
    ("ISS003", NEW_DYLD_21),
    ("ISS001", TWO_LEVEL_SYMBOL),
    ("ISS006", FLAT_SYMBOL_IN_PARENTHESES),
    ("ISS033", OLD_DYLD),
    ("ISS011", ROSETTA_CRASH),
    ("ISS011", ROSETTA_LIST),
    ("ISS014", INTEL_LIST),
    ("ISS018", NO_PLUGIN_FOR_PYTHON),
    ("ISS018", UV_NO_PLUGIN),
    ("ISS069", UV_TOO_OLD_FOR_ARM),
    ("ISS071", OLD_PIN_ON_NEW_PYTHON),
    ("ISS019", PYTHON_3_14),
    ("ISS026", NUMPY_2),
    ("ISS028", PROTOBUF_TOO_NEW),
    ("ISS087", KERAS_OF_ANOTHER_MINOR),
    ("ISS039", XLA_ON_METAL),
    ("ISS058", CONTAINER_WITHOUT_AVX),
    ("ISS034", HDF5),
    ("ISS117", GPU_ERROR),
    ("ISS085", ARROW),
    ("ISS102", CUDNN),
    ("ISS068", WRONG_WHEEL),
    ("ISS013", INCOMPATIBLE),
    ("ISS062", NEW_DYLD_21),
    ("ISS016", OLD_SYSTEM),
    ("ISS016", OLD_SYSTEM_SAID),
    ("ISS130", LEFT_BEHIND),
    ("ISS038", LEGACY),
    ("ISS087", TF_KERAS_SHOWN_IN_HUBS_SOURCE),
    ("ISS087", DTENSOR_ALONE),
    ("ISS088", NO_TF_KERAS),
    ("ISS033", CORE_FOUNDATION),
    ("ISS034", H5PY_BUILD),
    ("ISS082", GRPCIO_BUILD),
    ("ISS031", FLOAT8),
    ("ISS031", UV_ML_DTYPES),
    ("ISS031", PIP_ML_DTYPES),
    ("ISS080", TYPING_TAKEN_DOWN),
    ("ISS074", EMPTIED_GPU),
]
"""A log, and the issue whose signatures must find it."""

BESIDE = {"ISS062": {"ISS003"}, "ISS039": {"ISS004"}, "ISS031": {"ISS026"}}
"""Issues that one text cannot tell apart: the general one beside that of one pair, which the versions tell."""

HEALTHY = """\
2024-03-01 10:00:00.000000: W tensorflow/compiler/tf2tensorrt/utils/py_utils.cc:38] TF-TRT Warning: Could not find TensorRT
W tensorflow/core/common_runtime/gpu/gpu_device.cc:2256] Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly if you would like to use GPU.
E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:9261] Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been registered
I external/local_tsl/tsl/cuda/cudart_stub.cc:31] Could not find cuda drivers on your machine, GPU will not be used.
I tensorflow/core/common_runtime/pluggable_device/pluggable_device_factory.cc:303] Could not identify NUMA node of platform GPU ID 0, defaulting to 0. Your kernel may not have been built with NUMA support.
I tensorflow/core/common_runtime/pluggable_device/pluggable_device_factory.cc:269] Created TensorFlow device (/job:localhost/replica:0/task:0/device:GPU:0 with 0 MB memory) -> physical PluggableDevice (device: 0, name: METAL, pci bus id: <undefined>)
WARNING:absl:At this time, the v2.11+ optimizer `tf.keras.optimizers.Adam` runs slowly on M1/M2 Macs, please use the legacy Keras optimizer instead, located at `tf.keras.optimizers.legacy.Adam`.
I tensorflow/core/platform/cpu_feature_guard.cc:182] This TensorFlow binary is optimized to use available CPU instructions in performance-critical operations.
Successfully installed keras-3.5.0 numpy-1.26.4 protobuf-4.25.4 tensorflow-2.17.0 tensorflow-metal-1.1.0
 + tensorflow-metal==1.2.0
Requirement already satisfied: tensorflow in ./venv/lib/python3.11/site-packages (2.15.0)
W0000 00:00:1731000000.000000 gpu_device.cc:2344] failed call to cuInit: INTERNAL: CUDA error: Failed call to cuInit: UNKNOWN ERROR (303)
""".splitlines()
"""Lines that programs print when nothing is wrong."""
