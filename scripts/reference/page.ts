import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { SETTINGS } from '../../functions/config.ts'
import { ANNOTATION, CLASS_FINALIZER, FINALIZER, LABEL, POD_ANNOTATION, TAINT_KEY } from '../../shared/model/labels.ts'
import { clusterEntryFields, OVERRIDES } from '../../shared/wire/clusterConfig.ts'
import { repositoryRoot } from '../floors.ts'
import { valueRows } from './chartValues.ts'
import { CONDITIONS } from './conditions.ts'
import { docComments } from './docComments.ts'
import { code, fieldRule, unwrapped } from './fieldRules.ts'

export const REFERENCE_FILE = 'docs/reference.md'

type Rows = readonly (readonly string[])[]
type Fields = { readonly [name: string]: z.ZodType }

/** Returns the page: everything that can be set, and every name that Joiner writes. */
export function referencePage(): string {
  const clusters = read('shared/wire/clusterConfig.ts')
  const { images, ...entry } = clusterEntryFields.shape
  const own = Object.fromEntries(Object.entries(entry).filter(([name]) => !OVERRIDES.includes(name)))
  const overrides = Object.fromEntries(Object.entries(entry).filter(([name]) => OVERRIDES.includes(name)))
  const entryDocs = new Map(
    ['const settings = ', 'const facts = ', 'export const clusterEntryFields'].flatMap((marker) => [...docComments(clusters, marker)]),
  )
  const labels = read('shared/model/labels.ts')
  return [
    '# Reference',
    'Written by `npm run generate` from the code that reads or writes each of these. Do not edit.',
    'The parameters of the templates are on the page [installation](install.md), the environment variables of the shim on [operations](operations.md#the-shim), metrics and events on [monitoring](monitoring.md), codes on [problem codes](errors.md). The fields of the custom resources are told by `kubectl explain nodepools.spec`.',
    '## Settings of the function app',
    'Environment variables of the app. On Azure they are its application settings: the template sets them, and `appSettings` stands above the template.',
    fieldTable('setting', SETTINGS.shape, docComments(read('functions/config.ts'), 'export const SETTINGS')),
    '## Fields of an entry of JOINER_CLUSTERS',
    fieldTable('field', own, entryDocs),
    '`images` is an object:',
    fieldTable('field', fieldsOf(images), docComments(clusters, 'const images = '), 'images.'),
    'What Azure says of a cluster is read from Azure. A field that is set stands above that:',
    table(
      ['field', 'values', 'meaning'],
      Object.entries(overrides).map(([name, schema]) => [code(name), fieldRule(schema).values, entryDocs.get(name) ?? '']),
    ),
    '## Values of the chart joiner',
    table(
      ['value', 'type', 'default', 'meaning'],
      valueRows(read('charts/joiner/values.yaml'), read('charts/joiner/values.schema.json')).map(({ name, values, fallback, meaning }) => [
        code(name),
        values,
        fallback,
        meaning,
      ]),
    ),
    'The chart `joiner-crd` has no values.',
    '## Labels',
    'Of NodeClaims, nodes and pods. What stands in `karpenter.azure.com` and `karpenter.sh` means what it means to Karpenter.',
    nameTable('label', LABEL, docComments(labels, 'export const LABEL ')),
    '## Annotations',
    nameTable('annotation', ANNOTATION, docComments(labels, 'export const ANNOTATION')),
    'Of pods, read for the cost of an eviction:',
    nameTable('annotation', POD_ANNOTATION, docComments(labels, 'export const POD_ANNOTATION')),
    '## Taints and finalizers',
    nameTable('taint', TAINT_KEY, docComments(labels, 'export const TAINT_KEY')),
    `The finalizer ${code(FINALIZER)} stands on each NodeClaim and its node until the machine is gone. The finalizer ${code(CLASS_FINALIZER)} stands on each AKSNodeClass; a class that is deleted stays while NodeClaims refer to it.`,
    '## Conditions',
    ...Object.entries(CONDITIONS).flatMap(([kind, meanings]) => [
      `### ${kind}`,
      table(
        ['condition', 'what True says'],
        Object.entries(meanings).map(([type, meaning]) => [code(type), meaning]),
      ),
    ]),
  ]
    .join('\n\n')
    .concat('\n')
}

function fieldsOf(schema: z.ZodType): Fields {
  const inner = unwrapped(schema)
  if (!(inner instanceof z.ZodObject)) throw new Error('the schema is of no object')
  return inner.shape
}

function fieldTable(head: string, fields: Fields, docs: ReadonlyMap<string, string>, prefix = ''): string {
  const rows = Object.entries(fields).map(([name, schema]) => {
    const { values, fallback } = fieldRule(schema)
    return [code(`${prefix}${name}`), values, fallback, docs.get(name) ?? '']
  })
  return table([head, 'values', 'default', 'meaning'], rows)
}

function nameTable(head: string, names: { readonly [key: string]: string }, docs: ReadonlyMap<string, string>): string {
  return table(
    [head, 'meaning'],
    Object.entries(names).map(([key, name]) => [code(name), docs.get(key) ?? '']),
  )
}

function table(head: readonly string[], rows: Rows): string {
  const escaped = (cell: string): string => cell.replaceAll('|', '\\|')
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(escaped).join(' | ')} |`).join('\n')
}

function read(path: string): string {
  return readFileSync(join(repositoryRoot, path), 'utf8')
}
