/** The views and plugins for k9s have the members that k9s reads, as its pages on columns and plugins describe them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { RESOURCE_DEFINITIONS } from '../../shared/wire/schema/definitions.ts'

const FOLDER = join(import.meta.dirname, '..', '..', 'examples', 'k9s')
const read = (name: string): unknown => parse(readFileSync(join(FOLDER, name), 'utf8'))

/** `NAME`, or `NAME:PATH` with a path into the object. */
const column = z.string().regex(/^[A-Z%]+(:\.(metadata|spec|status)\.\S+)?$/)
const Views = z.strictObject({
  views: z.record(
    z.string(),
    z.strictObject({
      sortColumn: z
        .string()
        .regex(/^[A-Z]+:(asc|desc)$/)
        .optional(),
      columns: z.array(column).min(3),
    }),
  ),
})
const Plugins = z.strictObject({
  plugins: z.record(
    z.string(),
    z.strictObject({
      shortCut: z.string().regex(/^(Shift|Ctrl)-[A-Z]$/),
      description: z.string().min(1),
      scopes: z.array(z.string()).min(1),
      command: z.string(),
      background: z.boolean(),
      args: z.array(z.string()),
    }),
  ),
})

describe('examples/k9s', () => {
  it('has views of kinds that there are, sorted by a column that they show', () => {
    const { views } = Views.parse(read('views.yaml'))
    const served = RESOURCE_DEFINITIONS.flatMap(({ group, plural, versions }) => versions.map(({ name }) => `${group}/${name}/${plural}`))
    expect(Object.keys(views).filter((view) => view !== 'v1/nodes' && !served.includes(view))).toEqual([])
    for (const { sortColumn, columns } of Object.values(views)) {
      const names = columns.map((each) => each.split(':')[0])
      expect(new Set(names).size).toBe(names.length)
      if (sortColumn !== undefined) expect(names).toContain(sortColumn.split(':')[0])
    }
  })

  it('has plugins with a key each, which call joiner explain', () => {
    const { plugins } = Plugins.parse(read('plugins.yaml'))
    const keys = Object.values(plugins).map(({ shortCut }) => shortCut)
    expect(new Set(keys).size).toBe(keys.length)
    for (const { args } of Object.values(plugins))
      expect(args.join(' ')).toMatch(/npx joiner explain "(pods\/\$NAMESPACE|nodeclaims)\/\$NAME" --context "\$CONTEXT"/)
  })
})
