import { DefaultSettings, Language, TaskUtils } from '@microsoft/powerquery-parser';

type Node = Language.Ast.TNode;
/** What a name stands for; evaluated when it is first used. */
type Scope = ReadonlyMap<string, () => Promise<unknown>>;
export type MFunction = (...args: unknown[]) => Promise<unknown>;
export type MRecord = Record<string, unknown>;

const { NodeKind } = Language.Ast;

/**
 * Evaluates a text in M, the language of Power Query, with these functions of its library. It knows the part of the
 * language that a function needs which reads an API, and refuses the rest.
 */
export async function evaluateM(text: string, library: MRecord): Promise<unknown> {
  const task = await TaskUtils.tryLexParse(DefaultSettings, text);
  if (!TaskUtils.isParseStageOk(task)) throw new Error(`This is no M: ${task.error?.message}`);

  const names = Object.entries(library).map(([name, value]) => [name, async () => value] as const);
  return evaluated(task.ast, new Map(names));
}

function evaluated(node: Node, scope: Scope): Promise<unknown> {
  switch (node.kind) {
    case NodeKind.LetExpression:
      return valueOfLet(node, scope);
    case NodeKind.FunctionExpression:
      return Promise.resolve(createFunction(node, scope));
    case NodeKind.IfExpression:
      return valueOfIf(node, scope);
    case NodeKind.ParenthesizedExpression:
      return evaluated(node.content, scope);
    case NodeKind.RecordExpression:
      return valueOfRecord(node, scope);
    case NodeKind.LiteralExpression:
      return Promise.resolve(valueOfLiteral(node.literal));
    case NodeKind.IdentifierExpression:
      return named(node.identifier.literal, scope);
    case NodeKind.ArithmeticExpression:
    case NodeKind.EqualityExpression:
      return valueOfOperator(node, scope);
    case NodeKind.RecursivePrimaryExpression:
      return valueOfChain(node, scope);
    default:
      throw new Error(`The evaluator of the tests does not know ${node.kind}.`);
  }
}

function named(name: string, scope: Scope): Promise<unknown> {
  const value = scope.get(name);
  if (!value) throw new Error(`There is no name ${name}.`);
  return value();
}

async function valueOfLet(node: Language.Ast.LetExpression, outer: Scope): Promise<unknown> {
  const scope = new Map(outer);
  for (const { node: pair } of node.variableList.elements) {
    let value: Promise<unknown> | undefined;
    scope.set(pair.key.literal, () => {
      value ??= evaluated(pair.value, scope);
      return value;
    });
  }
  return evaluated(node.expression, scope);
}

function createFunction(node: Language.Ast.FunctionExpression, outer: Scope): MFunction {
  return (...args) => {
    const scope = new Map(outer);
    for (const [at, { node: parameter }] of node.parameters.content.elements.entries())
      scope.set(parameter.name.literal, async () => args[at] ?? null);
    return evaluated(node.expression, scope);
  };
}

async function valueOfIf(node: Language.Ast.IfExpression, scope: Scope): Promise<unknown> {
  const isTrue = await evaluated(node.condition, scope);
  return evaluated(isTrue === true ? node.trueExpression : node.falseExpression, scope);
}

async function valueOfRecord(node: Language.Ast.RecordExpression, scope: Scope): Promise<MRecord> {
  const record: MRecord = {};
  for (const { node: pair } of node.content.elements)
    record[pair.key.literal] = await evaluated(pair.value, scope);
  return record;
}

function valueOfLiteral(literal: string): unknown {
  // In a text of M only quotes are doubled, of which there are none here.
  return JSON.parse(literal);
}

async function valueOfOperator(
  node: Language.Ast.ArithmeticExpression | Language.Ast.EqualityExpression,
  scope: Scope,
): Promise<unknown> {
  const left = await evaluated(node.left, scope);
  const right = await evaluated(node.right, scope);
  const operator = node.operatorConstant.constantKind;
  if (operator === '=') return left === right;
  if (operator === '<>') return left !== right;
  if (operator !== '&') throw new Error(`The evaluator of the tests does not know ${operator}.`);
  if (typeof left === 'string' && typeof right === 'string') return left + right;
  return { ...asRecord(left), ...asRecord(right) };
}

/** A value with what is applied to it: calls, and fields. */
async function valueOfChain(
  node: Language.Ast.RecursivePrimaryExpression,
  scope: Scope,
): Promise<unknown> {
  let value = await evaluated(node.head, scope);
  for (const step of node.recursiveExpressions.elements) {
    if (step.kind === NodeKind.InvokeExpression) {
      const args: unknown[] = [];
      for (const { node: arg } of step.content.elements) args.push(await evaluated(arg, scope));
      value = await asFunction(value)(...args);
    } else if (step.kind === NodeKind.FieldSelector) {
      const name = step.content.literal;
      const record = asRecord(value);
      // As in M, a field that is not there is an error.
      if (!(name in record)) throw new Error(`The field '${name}' of the record wasn't found.`);
      value = record[name];
    } else {
      throw new Error(`The evaluator of the tests does not know ${step.kind}.`);
    }
  }
  return value;
}

function asRecord(value: unknown): MRecord {
  if (typeof value !== 'object' || value === null) throw new Error(`${value} is no record.`);
  return { ...value };
}

function asFunction(value: unknown): MFunction {
  if (typeof value !== 'function') throw new Error(`${value} is no function.`);
  return (...args) => Promise.resolve(value(...args));
}
