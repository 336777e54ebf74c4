"""Structures of compiled code without memory of their own: what is put in comes out, known numbers stay known."""

from llvmlite import ir

from supple.jit.array_values import is_constant, member, product, row

INTEGER = ir.IntType(64)


def _builder(arguments=2):
    function = ir.Function(ir.Module(), ir.FunctionType(ir.VoidType(), [INTEGER] * arguments), "f")
    return ir.IRBuilder(function.append_basic_block()), function.args


def _count(builder):
    return len(builder.block.instructions)


def test_members_of_a_row_are_what_was_put_in():
    builder, (x, y) = _builder()
    whole = row(builder, [x, INTEGER(3), y])
    made = _count(builder)
    assert member(builder, whole, 0) is x
    assert member(builder, whole, 1).constant == 3
    assert member(builder, whole, 2) is y
    assert _count(builder) == made == 2  # of the two that are not known


def test_a_row_from_elsewhere_is_taken_apart():
    kind = ir.ArrayType(INTEGER, 2)
    function = ir.Function(ir.Module(), ir.FunctionType(ir.VoidType(), [kind]), "f")
    builder = ir.IRBuilder(function.append_basic_block())
    value = member(builder, function.args[0], 1)
    assert value.opname == "extractvalue"
    assert value.type == INTEGER


def test_products_of_known_numbers_are_known():
    builder, (x, _) = _builder()
    assert product(builder, INTEGER(3), INTEGER(4)).constant == 12
    assert product(builder, x, INTEGER(1)) is x
    assert product(builder, INTEGER(1), x) is x
    assert _count(builder) == 0
    assert not is_constant(product(builder, x, INTEGER(2)))
    assert _count(builder) == 1
