// The content of a Bicep file as data. Precedence and names are resolved here; nothing is evaluated.

/** A path relative to the repository, and a line from 1. */
export type Place = { readonly file: string; readonly line: number }

export type Property = Place & { readonly key: Expression; readonly value: Expression }

export type Expression = Place &
  (
    | { readonly kind: 'literal'; readonly value: number | boolean | null }
    | { readonly kind: 'text'; readonly parts: readonly (string | Expression)[] }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'array'; readonly items: readonly Expression[] }
    | { readonly kind: 'object'; readonly properties: readonly Property[]; readonly resources: readonly ResourceDeclaration[] }
    | {
        readonly kind: 'for'
        readonly item: string
        readonly index: string | undefined
        readonly list: Expression
        readonly body: Expression
      }
    /** Occurs only as the body of a resource or module, or of its loop. */
    | { readonly kind: 'if'; readonly condition: Expression; readonly body: Expression }
    | { readonly kind: 'member'; readonly of: Expression; readonly name: string; readonly isSafe: boolean }
    | { readonly kind: 'index'; readonly of: Expression; readonly index: Expression; readonly isSafe: boolean }
    /** `parent::child`. */
    | { readonly kind: 'nested'; readonly of: Expression; readonly name: string }
    /** `value!`. */
    | { readonly kind: 'sure'; readonly of: Expression }
    | { readonly kind: 'unary'; readonly operator: '!' | '-'; readonly of: Expression }
    | { readonly kind: 'binary'; readonly operator: string; readonly left: Expression; readonly right: Expression }
    | { readonly kind: 'choice'; readonly condition: Expression; readonly yes: Expression; readonly no: Expression }
    | { readonly kind: 'lambda'; readonly parameters: readonly string[]; readonly body: Expression }
    | { readonly kind: 'call'; readonly on: Expression | undefined; readonly name: string; readonly given: readonly Expression[] }
  )

export type TypeProperty = Place & { readonly name: string; readonly type: TypeSyntax; readonly decorators: readonly Decorator[] }

export type TypeSyntax = Place &
  (
    | { readonly kind: 'named'; readonly name: string }
    | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
    | { readonly kind: 'array'; readonly of: TypeSyntax }
    | { readonly kind: 'nullable'; readonly of: TypeSyntax }
    | { readonly kind: 'union'; readonly options: readonly TypeSyntax[] }
    | { readonly kind: 'object'; readonly properties: readonly TypeProperty[]; readonly others: TypeSyntax | undefined }
  )

export type Decorator = Place & { readonly name: string; readonly given: readonly Expression[] }

type Declared = Place & { readonly name: string; readonly decorators: readonly Decorator[] }

export type ParameterDeclaration = Declared & {
  readonly kind: 'param'
  readonly type: TypeSyntax
  readonly fallback: Expression | undefined
}
export type VariableDeclaration = Declared & { readonly kind: 'var'; readonly value: Expression }
export type OutputDeclaration = Declared & { readonly kind: 'output'; readonly type: TypeSyntax; readonly value: Expression }
export type TypeDeclaration = Declared & { readonly kind: 'type'; readonly type: TypeSyntax }
export type FunctionDeclaration = Declared & {
  readonly kind: 'func'
  readonly parameters: readonly { readonly name: string; readonly type: TypeSyntax }[]
  readonly returns: TypeSyntax
  readonly body: Expression
}
export type ResourceDeclaration = Declared & {
  readonly kind: 'resource'
  /** As written: `Provider/type@version`. For a nested resource, the last part of the type alone. */
  readonly type: string
  readonly isExisting: boolean
  readonly body: Expression
}
export type ModuleDeclaration = Declared & { readonly kind: 'module'; readonly path: string; readonly body: Expression }

export type Declaration =
  | ParameterDeclaration
  | VariableDeclaration
  | OutputDeclaration
  | TypeDeclaration
  | FunctionDeclaration
  | ResourceDeclaration
  | ModuleDeclaration

/** `import { name as alias } from path`. Without names, the whole file as `alias`. */
export type Import = Place & { readonly path: string; readonly names: readonly { readonly name: string; readonly alias: string }[] }

export type BicepFile = {
  readonly path: string
  readonly targetScope: string
  readonly imports: readonly Import[]
  readonly declarations: readonly Declaration[]
}

/** Thrown for a construct that cannot be read or evaluated. The check always fails with it. */
export class Refusal extends Error {
  readonly place: Place

  constructor(place: Place, message: string) {
    super(message)
    this.place = { file: place.file, line: place.line }
  }
}

/** Returns the text of an expression without interpolation. Undefined for any other expression. */
export function plainText(expression: Expression): string | undefined {
  if (expression.kind !== 'text') return undefined
  return expression.parts.every((part) => typeof part === 'string') ? expression.parts.join('') : undefined
}
