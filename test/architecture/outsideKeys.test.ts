import { join } from 'node:path'
import { type Node, SyntaxKind } from 'typescript/unstable/ast'
import {
  isBinaryExpression,
  isBindingElement,
  isComputedPropertyName,
  isDeleteExpression,
  isElementAccessExpression,
} from 'typescript/unstable/ast/is'
import { API, type Type, TypeFlags } from 'typescript/unstable/sync'
import { describe, expect, it } from 'vitest'
import { isTestFile, repositoryRoot, sourceFiles } from '../../scripts/floors.ts'
import { temporaryTree } from './temporaryTree.ts'

/** The only file that reads or sets a member whose name the compiler does not know. */
const HELPER = 'shared/base/values.ts'

/** Files that may do so, and why. */
const EXCEPTIONS = new Map([
  ['shared/wire/rows/shape.ts', 'it replaces values that are there already: an assignment changes the own value, whatever its name'],
  ['local/storage/startStorage.ts', 'it asks a class for its methods'],
])

/**
 * Finds the places where a text that the compiler does not know chooses a member: `labels[key]`, `key in labels` and `const { [key]: value } = labels`.
 * Each also finds what a plain object inherits. A number and a text of a known set are no such key.
 */
function dynamicKeys(root: string, files: readonly string[]): readonly string[] {
  const api = new API({ cwd: root })
  try {
    const [project] = api.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] }).getProjects()
    if (project === undefined) throw new Error(`${root} has no project`)
    const { program, checker } = project
    return files.flatMap((file) => {
      const source = program.getSourceFile(join(root, file))
      if (source === undefined) throw new Error(`the project has no ${file}`)
      const found = keysIn(source)
      const types = found.length === 0 ? [] : checker.getTypeAtLocation(found.map(({ key }) => key))
      return found.filter((_, index) => isAnyText(types[index])).map(({ place }) => `${file}: ${textOf(source.text, place)}`)
    })
  } finally {
    api.close()
  }
}

type Found = { readonly key: Node; readonly place: Node }

function keysIn(source: Node): readonly Found[] {
  const found: Found[] = []
  const visit = (node: Node, parent: Node): void => {
    // What deletes finds only own members.
    if (isElementAccessExpression(node) && !isDeleteExpression(parent)) found.push({ key: node.argumentExpression, place: node })
    // A private name is no text.
    const isAsked = isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.InKeyword
    if (isAsked && node.left.kind !== SyntaxKind.PrivateIdentifier) found.push({ key: node.left, place: node })
    if (isComputedPropertyName(node) && isBindingElement(parent)) found.push({ key: node.expression, place: parent })
    node.forEachChild((child) => visit(child, node))
  }
  visit(source, source)
  return found
}

/** Reports whether the type has more texts than the program names. A name of an object is such a type as well: a text with a brand. */
function isAnyText(type: Type | undefined): boolean {
  if (type === undefined) return false
  if ((type.flags & TypeFlags.String) !== 0 || (type.flags & TypeFlags.Any) !== 0) return true
  if (type.isUnionType()) return type.getTypes().some(isAnyText)
  return type.isIntersectionType() && type.getTypes().every((part) => (part.flags & (TypeFlags.String | TypeFlags.Object)) !== 0)
}

function textOf(text: string, { pos, end }: Node): string {
  return text.slice(pos, end).trim().replaceAll(/\s+/g, ' ')
}

describe('a key that comes from outside', () => {
  const files = sourceFiles(repositoryRoot).filter(
    (file) =>
      /^(shared|functions|shim|cli|local|test\/(builders|checker|generators|oracle))\//.test(file) && !isTestFile(file) && file !== HELPER,
  )

  it('is looked up with ownValue and set with setOwnValue of shared/base/values.ts', () => {
    const found = dynamicKeys(repositoryRoot, files)
    const inExceptions = [...EXCEPTIONS.keys()].filter((file) => found.some((place) => place.startsWith(`${file}: `)))
    expect(files.length).toBeGreaterThan(500)
    expect(inExceptions).toEqual([...EXCEPTIONS.keys()])
    expect(found.filter((place) => !inExceptions.some((file) => place.startsWith(`${file}: `)))).toEqual([])
  })
})

describe('the search for such keys', () => {
  const lines = [
    ['labels[key]', 1],
    ['labels[key.toLowerCase()]', 1],
    ['labels?.[key]', 1],
    ['maybe[key]', 1],
    ['(labels[key] = key)', 1],
    ['labels[name]', 1],
    ['key in labels', 1],
    ['(({ [key]: value }) => value)(labels)', 1],
    ['JSON.parse(key)[key]', 1],
    ['delete labels[key]', 0],
    ["labels['app']", 0],
    ["'app' in labels", 0],
    ['sizes[kind]', 0],
    ['list[0]', 0],
    ['list[list.length - 1]', 0],
    ['Object.hasOwn(labels, key)', 0],
    ['({ ...labels, [key]: key })', 0],
    ['words.get(key)', 0],
  ] as const
  const given = [
    'declare const labels: { [key: string]: string }',
    'declare const maybe: { [key: string]: string | undefined }',
    'declare const key: string',
    'declare const name: string & { readonly brand: 1 }',
    "declare const kind: 'small' | 'large'",
    "declare const sizes: Record<'small' | 'large', number>",
    'declare const list: readonly string[]',
    'declare const words: ReadonlyMap<string, string>',
  ]

  it('knows what finds members by name', () => {
    const files = Object.fromEntries(
      lines.map(([line], index) => [`shared/line${index}.ts`, [...given, `export const a = ${line}`].join('\n')]),
    )
    const root = temporaryTree(files)
    const found = dynamicKeys(root, Object.keys(files))
    const counts = lines.map(([line], index) => [line, found.filter((place) => place.startsWith(`shared/line${index}.ts: `)).length])
    expect(counts).toEqual(lines)
  })
})
