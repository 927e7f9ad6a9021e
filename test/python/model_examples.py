"""JSON examples of a pydantic model that together contain every field and every union member.

An example per combination would be millions, so the examples of a model's fields are zipped: the n-th
example of the model takes the n-th example of each field, and starts over where a field has fewer.
"""

import datetime
import typing

from pydantic import BaseModel
from typing_extensions import TypeAliasType

SCALARS = {
    str: "text",
    bool: True,
    int: 1,
    float: 1,
    typing.Any: "anything",
    type(None): None,
    datetime.date: "2030-01-31",
    datetime.datetime: "2030-01-31T00:00:00Z",
}


def examples_of(annotation, ancestors=()):
    """Examples of a type; none for the SDK's placeholders, such as values it does not recognize."""
    if annotation in SCALARS:
        return [SCALARS[annotation]]
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if isinstance(annotation, TypeAliasType):
        return examples_of(annotation.__value__, ancestors)
    if isinstance(origin, TypeAliasType):
        return examples_of(origin.__value__[arguments], ancestors)
    if origin is typing.Annotated:
        return examples_of(arguments[0], ancestors)
    if origin is typing.Literal:
        return list(arguments)
    if origin is typing.Union:
        return [example for member in arguments for example in examples_of(member, ancestors)]
    if origin is list:
        return [[example] for example in examples_of(arguments[0], ancestors)]
    if origin is dict:
        return [{"key": example} for example in examples_of(arguments[1], ancestors)]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel) and not is_placeholder(annotation):
        return examples_of_model(annotation, ancestors)
    if is_placeholder(annotation):
        return []
    raise TypeError(f"no examples of {annotation!r}")


def examples_of_model(model, ancestors=()):
    # A model inside itself, such as a tool that has tools: its required fields are enough.
    is_nested = model in ancestors
    required, all_fields = {}, {}
    for name, field in model.model_fields.items():
        if is_nested and not field.is_required():
            continue
        examples = examples_of(field.annotation, (*ancestors, model))
        if not field.is_required() and not is_nullable(field.annotation):
            # The SDK writes `Optional` for a field that may be absent, and never sends its null.
            examples = [example for example in examples if example is not None]
        if not examples:
            if field.is_required():
                return []
            continue
        all_fields[field.alias or name] = examples
        if field.is_required():
            required[field.alias or name] = examples
    smallest = {name: examples[0] for name, examples in required.items()}
    count = max((len(examples) for examples in all_fields.values()), default=0)
    zipped = [
        {name: examples[index % len(examples)] for name, examples in all_fields.items()}
        for index in range(count)
    ]
    return [smallest, *zipped] if smallest not in zipped else zipped


def is_nullable(annotation):
    return typing.get_origin(annotation) is not typing.Union


def is_placeholder(annotation):
    return getattr(annotation, "__name__", "").startswith(("Unset", "Unrecognized", "Unknown"))
