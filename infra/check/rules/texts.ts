// Rules of Azure's linter about single expressions.
import type { BicepFile, Declaration, Expression } from '../parse/syntax.ts'
import { everyPart, expressionsOf, namesIn } from '../parse/walk.ts'
import { finding, type Rule } from './rule.ts'

type Say = (part: Expression, declaration: Declaration, file: BicepFile) => string | undefined

/** Creates a rule about every part of every expression. */
function partRule(name: string, say: Say): Rule {
  return {
    name,
    check: ({ files }) =>
      files.flatMap((file) =>
        file.declarations.flatMap((declaration) =>
          expressionsOf(declaration)
            .flatMap(everyPart)
            .flatMap((part) => {
              const message = say(part, declaration, file)
              return message === undefined ? [] : [finding(name, part, message)]
            }),
        ),
      ),
  }
}

const HOSTS =
  /management\.azure\.com|login\.microsoftonline|core\.windows\.net|core\.usgovcloudapi|core\.chinacloudapi|vault\.azure\.net|azure-api\.net|management\.usgovcloudapi|management\.chinacloudapi/i

/** Returns the text of an expression without its interpolations. */
const textIn = (part: Expression): string => (part.kind === 'text' ? part.parts.filter((each) => typeof each === 'string').join('') : '')

/** Reports whether the text is the name of a property, which needs the quotes. */
const isKey = (part: Expression, declaration: Declaration): boolean =>
  expressionsOf(declaration)
    .flatMap(everyPart)
    .some((each) => each.kind === 'object' && each.properties.some(({ key }) => key === part))

export const PART_RULES: readonly Rule[] = [
  partRule('no-hardcoded-env-urls', (part) => (HOSTS.test(textIn(part)) ? 'hosts of a cloud come from environment()' : undefined)),
  partRule('simplify-interpolation', (part, declaration) =>
    part.kind === 'text' && part.parts.length === 1 && typeof part.parts[0] !== 'string' && !isKey(part, declaration)
      ? 'the text is one interpolation: leave the quotes out'
      : undefined,
  ),
  partRule('prefer-interpolation', (part) =>
    part.kind === 'call' && part.name === 'concat' && part.given.some((each) => each.kind === 'text')
      ? "write '${a}${b}' instead of concat()"
      : undefined,
  ),
  partRule('no-hardcoded-location', (part) => {
    if (part.kind !== 'object') return undefined
    const location = part.properties.find(({ key }) => textIn(key) === 'location')
    return location?.value.kind === 'text' && textIn(location.value) !== 'global' ? 'a location comes from a parameter' : undefined
  }),
  partRule('no-loc-expr-outside-params', (part, declaration) => {
    const isCall = part.kind === 'member' && part.name === 'location' && part.of.kind === 'call'
    return isCall && declaration.kind !== 'param' && ['resourceGroup', 'deployment'].includes(part.of.name)
      ? 'a location comes from a parameter'
      : undefined
  }),
  partRule('outputs-should-not-contain-secrets', (part, declaration, file) => {
    if (declaration.kind !== 'output') return undefined
    if (part.kind === 'call' && /^list/i.test(part.name)) return 'an output is readable by all who see the deployment'
    const isSecure =
      part.kind === 'name' &&
      file.declarations.some((each) => each.name === part.name && each.decorators.some(({ name }) => name === 'secure'))
    return isSecure ? 'an output is readable by all who see the deployment' : undefined
  }),
  partRule('use-resource-symbol-reference', (part) =>
    part.kind === 'call' && (part.name === 'reference' || /^list(Keys|Secrets|AccountSas)/.test(part.name))
      ? 'read a resource by its name'
      : undefined,
  ),
  partRule('role-definition-type', (part) => {
    const isId = part.kind === 'call' && /resourceId$/i.test(part.name) && part.given.some((each) => /roleDefinition$/i.test(textIn(each)))
    return isId ? 'the type is Microsoft.Authorization/roleDefinitions' : undefined
  }),
]

export const parents: Rule = {
  name: 'use-parent-property',
  check: ({ files }) =>
    files.flatMap((file) =>
      file.declarations.flatMap((declaration) => {
        if (declaration.kind !== 'resource') return []
        const names = everyPart(declaration.body).flatMap((part) => (part.kind === 'object' ? part.properties : []))
        const name = names.find(({ key }) => textIn(key) === 'name')
        return name !== undefined && textIn(name.value).includes('/')
          ? [finding('use-parent-property', name, 'name the parent by the property parent')]
          : []
      }),
    ),
}

export const dependsOn: Rule = {
  name: 'no-unnecessary-dependson',
  check: ({ files }) =>
    files.flatMap((file) =>
      file.declarations.flatMap((declaration) => {
        if (declaration.kind !== 'resource' && declaration.kind !== 'module') return []
        const properties = everyPart(declaration.body).flatMap((part) => (part.kind === 'object' ? part.properties : []))
        const explicit = properties.find(({ key }) => textIn(key) === 'dependsOn')
        if (explicit === undefined) return []
        const named = new Set(properties.filter((each) => each !== explicit).flatMap(({ value }) => namesIn(value).map(({ name }) => name)))
        return namesIn(explicit.value)
          .filter(({ name }) => named.has(name))
          .map(({ name, at }) => finding('no-unnecessary-dependson', at, `"${name}" is named by another property already`))
      }),
    ),
}

const SECRET = /password|pwd|secret|accountkey|acctkey/i
const isSecure = ({ decorators }: Declaration): boolean => decorators.some(({ name }) => name === 'secure')

export const secrets: Rule = {
  name: 'secrets',
  check: ({ files }) =>
    files.flatMap((file) =>
      file.declarations.flatMap((declaration) => {
        if (declaration.kind === 'output' && SECRET.test(declaration.name))
          return [finding('outputs-should-not-contain-secrets', declaration, 'an output holds no secret')]
        if (declaration.kind !== 'param') return []
        const { fallback } = declaration
        const hasDefault = fallback !== undefined && !(fallback.kind === 'text' && textIn(fallback) === '')
        if (isSecure(declaration) && hasDefault)
          return [finding('secure-parameter-default', declaration, 'a secure parameter has no default')]
        return SECRET.test(declaration.name) && !isSecure(declaration)
          ? [finding('secure-secrets-in-params', declaration, 'add @secure()')]
          : []
      }),
    ),
}

const MOST = { param: 256, output: 64, resource: 800, var: 512 }

export const sizes: Rule = {
  name: 'max',
  check: ({ files }) =>
    files.flatMap((file) =>
      Object.entries(MOST).flatMap(([kind, most]) => {
        const count = file.declarations.filter((each) => each.kind === kind).length
        return count > most ? [finding(`max-${kind}s`, { file: file.path, line: 1 }, `${count} of ${kind}, and Azure takes ${most}`)] : []
      }),
    ),
}

/** Every parameter has a description. */
export const described: Rule = {
  name: 'described-parameters',
  check: ({ layers }) =>
    layers.flatMap(({ main }) =>
      main.declarations
        .filter((each) => each.kind === 'param' && !each.decorators.some(({ name }) => name === 'description'))
        .map((each) => finding('described-parameters', each, `the parameter "${each.name}" has no @description`)),
    ),
}
