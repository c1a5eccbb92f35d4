import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { SETTINGS } from '../../functions/config.ts'
import { clusterEntryFields } from '../../shared/wire/clusterConfig.ts'
import { repositoryRoot, sourceFiles } from '../floors.ts'
import { valueRows } from './chartValues.ts'
import { CONDITIONS } from './conditions.ts'
import { docComments } from './docComments.ts'
import { fieldRule } from './fieldRules.ts'
import { REFERENCE_FILE, referencePage } from './page.ts'

const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8')
const page = referencePage()
const rows = [...page.matchAll(/^\| `(.+?)` \|(.*)\|$/gm)].map(([, name = '', rest = '']) => ({ name, rest }))

describe(REFERENCE_FILE, () => {
  it('is what the code gives now (npm run generate)', () => expect(read(REFERENCE_FILE)).toBe(page))

  it('has each setting and each field of a cluster', () => {
    const names = [...Object.keys(SETTINGS.shape), ...Object.keys(clusterEntryFields.shape).filter((name) => name !== 'images')]
    expect(names.filter((name) => !rows.some((row) => row.name === name))).toEqual([])
    expect(names.length).toBeGreaterThan(50)
  })

  it('says of each what it is for, and what it takes', () => {
    expect(rows.filter(({ rest }) => rest.split(' | ').some((cell) => cell.trim() === '')).map(({ name }) => name)).toEqual([])
    expect(rows.filter(({ rest }) => /undefined|NaN|\[object/.test(rest)).map(({ name }) => name)).toEqual([])
  })
})

describe('the conditions on the page', () => {
  it('are those that the engine writes', () => {
    const sources = sourceFiles(join(repositoryRoot, 'shared/engine')).filter((path) => !path.endsWith('.test.ts'))
    const written = sources.flatMap((path) =>
      [
        ...read(`shared/engine/${path}`).matchAll(
          /\btype: '([A-Z]\w+)'|\b(?:const type|TYPE|\w+_CONDITION|REGISTRATION_HEALTH) = '([A-Z]\w+)'/g,
        ),
      ].map(([, first, second]) => first ?? second),
    )
    const types = new Set(written.filter((type) => type !== 'Normal' && type !== 'Warning'))
    const listed = new Set(Object.values(CONDITIONS).flatMap((meanings) => Object.keys(meanings)))
    expect([...types].filter((type) => !listed.has(type ?? ''))).toEqual([])
    expect(types.size).toBeGreaterThan(8)
  })
})

describe('the row of a field', () => {
  it.each([
    [z.enum(['a', '']).default('a'), '`a`, empty', '`a`'],
    [z.string().regex(/^x$/, 'must be an x').optional(), 'an x', 'none'],
    [z.array(z.string().startsWith('/', 'must be a path')).default(['/']), 'a list; each a path', '`["/"]`'],
    [z.number().min(1).max(2), '1 to 2', 'required'],
    [z.number().min(0).lt(1), '0 to below 1', 'required'],
    [SETTINGS.shape.LAUNCH_TIMEOUT, 'a duration, such as `30s`', '`5m`'],
  ])('says values and default', (schema, values, fallback) => expect(fieldRule(schema)).toEqual({ values, fallback }))
})

describe('a comment above a name', () => {
  it('is read up to the end of its object', () => {
    const source =
      'const other = {\n  /** no */\n  a: 1,\n}\nconst these = {\n  /** one\n   * line */\n  a: 1,\n  b: 2,\n}\n/** no */\nc: 3'
    expect([...docComments(source, 'const these')]).toEqual([['a', 'one line']])
    expect(() => docComments(source, 'const those')).toThrow('const those')
  })
})

describe('a value of a chart', () => {
  it('has the comment above it, of one of the same name where it has none, and its type', () => {
    const values = '# --- part ---\n\n# all of it\nshim:\n  # why\n  a: 1\n  b: []\nspot:\n  a: 2\n'
    const schema = JSON.stringify({ properties: { shim: { properties: { a: { type: 'integer' }, b: { enum: ['x'] } } } } })
    expect(valueRows(values, schema)).toEqual([
      { name: 'shim.a', values: 'integer', fallback: '`1`', meaning: 'why' },
      { name: 'shim.b', values: '`x`', fallback: '`[]`', meaning: '' },
      { name: 'spot.a', values: 'any', fallback: '`2`', meaning: 'why' },
    ])
  })
})
