import ts from 'typescript';

/**
 * Promises of a program that nobody waits for, as `file:line text`: a result that is or may be a promise (`MaybePromise`) and that
 * is dropped as a statement, or taken for a truth value. `void` and a handler of rejections (`catch`, `then` with two functions)
 * show that this is meant, and so does a condition on a promise that may be absent.
 */
export function unhandledPromises(program: ts.Program, isChecked: (file: string) => boolean) {
  const checker = program.getTypeChecker();
  const unhandled: string[] = [];

  const report = (node: ts.Node) => {
    const source = node.getSourceFile();
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    unhandled.push(`${source.fileName}:${line} ${node.getText().split('\n')[0]}`);
  };
  const visit = (node: ts.Node): void => {
    for (const value of droppedResults(node)) {
      if (mayBePromise(value, checker) && !handlesRejection(value)) report(value);
    }
    for (const value of truthValues(node)) {
      if (mayBePromise(value, checker) && !isPromiseOrAbsent(value, checker)) report(value);
    }
    ts.forEachChild(node, visit);
  };
  for (const source of program.getSourceFiles()) if (isChecked(source.fileName)) visit(source);

  return unhandled;
}

function droppedResults(node: ts.Node): ts.Expression[] {
  return ts.isExpressionStatement(node) ? resultsOf(node.expression) : [];
}

/** The expressions of which a node only asks whether they are true. */
function truthValues(node: ts.Node): ts.Expression[] {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return operandsOf(node.expression);
  if (ts.isConditionalExpression(node)) return operandsOf(node.condition);
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return [node.operand];
  return [];
}

/** `a` and `b` of `a && b`. */
function operandsOf(expression: ts.Expression): ts.Expression[] {
  if (ts.isParenthesizedExpression(expression)) return operandsOf(expression.expression);
  if (!ts.isBinaryExpression(expression)) return [expression];
  const { kind } = expression.operatorToken;
  const isLogical =
    kind === ts.SyntaxKind.AmpersandAmpersandToken || kind === ts.SyntaxKind.BarBarToken;
  return isLogical ? [...operandsOf(expression.left), ...operandsOf(expression.right)] : [];
}

/** The expressions whose result is that of an expression: `b()` of `a && b()`, both of `a ? b() : c()`. */
function resultsOf(expression: ts.Expression): ts.Expression[] {
  if (ts.isParenthesizedExpression(expression)) return resultsOf(expression.expression);
  if (ts.isConditionalExpression(expression))
    return [...resultsOf(expression.whenTrue), ...resultsOf(expression.whenFalse)];
  if (!ts.isBinaryExpression(expression)) return [expression];
  // A value that is assigned is in use elsewhere.
  return isAssignment(expression) ? [] : resultsOf(expression.right);
}

function isAssignment({ operatorToken: { kind } }: ts.BinaryExpression): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}

function mayBePromise(expression: ts.Expression, checker: ts.TypeChecker): boolean {
  if (ts.isAwaitExpression(expression) || ts.isVoidExpression(expression)) return false;
  if (ts.isYieldExpression(expression)) return false;
  return typesOf(expression, checker).some((type) => isPromise(type, checker));
}

function isPromiseOrAbsent(expression: ts.Expression, checker: ts.TypeChecker): boolean {
  const others = typesOf(expression, checker).filter((type) => !isPromise(type, checker));
  const absent = ts.TypeFlags.Undefined | ts.TypeFlags.Null;
  return others.length > 0 && others.every(({ flags }) => (flags & absent) !== 0);
}

function isPromise(type: ts.Type, checker: ts.TypeChecker): boolean {
  return checker.getPropertyOfType(type, 'then') !== undefined;
}

function typesOf(expression: ts.Expression, checker: ts.TypeChecker): readonly ts.Type[] {
  const type = checker.getTypeAtLocation(expression);
  return type.isUnion() ? type.types : [type];
}

function handlesRejection(expression: ts.Expression): boolean {
  if (!ts.isCallExpression(expression)) return false;
  const { expression: called, arguments: handlers } = expression;
  if (!ts.isPropertyAccessExpression(called)) return false;
  if (called.name.text === 'finally') return handlesRejection(called.expression);
  return called.name.text === 'catch' || (called.name.text === 'then' && handlers.length === 2);
}
