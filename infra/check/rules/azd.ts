// What azd makes of a template. Seen with azd 1.31.2 in November 2026.
import type { BicepFile, OutputDeclaration, ParameterDeclaration } from '../parse/syntax.ts'
import { finding, type Rule } from './rule.ts'

/** Set by azd itself. The tenant is not among them. */
export const AZD: ReadonlySet<string> = new Set([
  'AZURE_ENV_NAME',
  'AZURE_LOCATION',
  'AZURE_PRINCIPAL_ID',
  'AZURE_PRINCIPAL_TYPE',
  'AZURE_SUBSCRIPTION_ID',
])

/** A person may set the tenant. */
const INPUTS: ReadonlySet<string> = new Set([...AZD, 'AZURE_TENANT_ID'])

const BUILT_IN_TYPES: ReadonlySet<string> = new Set(['string', 'int', 'bool', 'array', 'object'])

/**
 * Reports whether azd asks for the parameter if it has no value. Such a parameter has no default. A named type compiles to a reference, and azd drops
 * `nullable` beside a reference.
 */
export function isAskedFor({ type, fallback }: ParameterDeclaration): boolean {
  if (fallback !== undefined) return false
  return !(type.kind === 'nullable' && type.of.kind === 'named' && BUILT_IN_TYPES.has(type.of.name))
}

export const parametersOf = (file: BicepFile): readonly ParameterDeclaration[] => file.declarations.filter((each) => each.kind === 'param')

export const askedFor: Rule = {
  name: 'azd-asks',
  check: ({ layers }) =>
    layers.flatMap(({ main }) =>
      parametersOf(main)
        .filter((each) => each.type.kind === 'nullable' && isAskedFor(each))
        .map((each) =>
          finding(
            'azd-asks',
            each,
            `azd asks for the parameter "${each.name}" although it may be null: give it a default, or a plain type`,
          ),
        ),
    ),
}

const outputsOf = (file: BicepFile): readonly OutputDeclaration[] => file.declarations.filter((each) => each.kind === 'output')

/** `azd down` deletes the outputs of a layer with it. A layer that is deleted later would miss its input. */
export const ownInputs: Rule = {
  name: 'azd-inputs',
  check: ({ layers }) =>
    layers.flatMap(({ main }) =>
      outputsOf(main)
        .filter(({ name }) => INPUTS.has(name))
        .map((each) => finding('azd-inputs', each, `azd deletes ${each.name} with this layer, and other layers need it`)),
    ),
}
