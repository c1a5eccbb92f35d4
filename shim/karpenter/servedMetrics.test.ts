import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SERVED_METRICS, type ServedMetric } from './servedMetrics.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGE = readFileSync(join(ROOT, 'docs/monitoring.md'), 'utf8')
const SERVED: ReadonlyMap<string, ServedMetric> = new Map(Object.entries(SERVED_METRICS))

/** The part of the page below a heading. */
function section(heading: string): string {
  return PAGE.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? expect.fail(`there is no heading ${heading}`)
}

describe('docs/monitoring.md', () => {
  it('lists each metric that the shim serves, with the same words', () => {
    const rows = section("Karpenter's metrics in the cluster")
      .split('\n')
      .filter((line) => line.startsWith('| `'))
    const want = [...SERVED].map(
      ([name, { type, labels, from }]) => `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${from} |`,
    )
    expect(rows).toEqual(want)
  })

  it('lists none of them among those that are not served', () => {
    const rows = section("Karpenter's other metrics")
      .split('\n')
      .filter((line) => line.startsWith('| `'))
    const names = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([\w*]+)`/g)].map(([, name = '']) => name))
    expect(names.length).toBeGreaterThan(20)
    const patterns = names.map((name) => new RegExp(`^karpenter_${name.replaceAll('*', '.*')}$`))
    for (const name of SERVED.keys()) expect(patterns.filter((pattern) => pattern.test(name))).toEqual([])
  })
})

type Dashboard = {
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] }
  readonly panels: readonly {
    readonly title: string
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[]
  }[]
}
const DASHBOARD = JSON.parse(readFileSync(join(ROOT, 'examples/grafana/karpenter.json'), 'utf8')) as Dashboard

/** What a query names that the shim does not serve. `by (...)` and the legend name labels of every metric of the query. */
function unserved(query: string, legend = ''): readonly string[] {
  const bare = query.replaceAll(/"[^"]*"/g, '""')
  const metrics = [...bare.matchAll(/\bkarpenter_\w+/g)].map(([name]) => name)
  const known = metrics.flatMap((name) => SERVED.get(name) ?? [])
  const named = [...bare.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(', '))
  const chosen = [...bare.matchAll(/(karpenter_\w+)\{([^}]*)\}/g)].flatMap(([, name = '', terms = '']) =>
    [...terms.matchAll(/(\w+)\s*[=!]~?/g)].flatMap(([, label = '']) =>
      SERVED.get(name)?.labels.includes(label) ? [] : [`${name}{${label}}`],
    ),
  )
  const shown = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
  return [
    ...(metrics.length === 0 ? ['no metric'] : []),
    ...metrics.filter((name) => !SERVED.has(name)),
    ...named.filter((label) => !known.every(({ labels }) => labels.includes(label))),
    ...shown.filter((label) => !named.includes(label)),
    ...chosen,
  ]
}

describe('the Grafana dashboard', () => {
  it('asks for metrics and labels that the shim serves', () => {
    for (const { title, targets } of DASHBOARD.panels)
      for (const { expr, legendFormat } of targets) expect([title, ...unserved(expr, legendFormat)]).toEqual([title])
    const variables = DASHBOARD.templating.list.filter(({ query }) => query.startsWith('label_values('))
    for (const { query } of variables) {
      const [, name = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? []
      expect(SERVED.get(name)?.labels).toContain(label)
    }
    const used = new Set(DASHBOARD.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => expr.match(/\bkarpenter_\w+/g) ?? [])))
    expect([...used].sort()).toEqual([...SERVED.keys()].sort())
  })

  it.each([
    ['sum by (nodepool) (karpenter_nodepools_gone)', ''],
    ['sum by (zone) (karpenter_nodepools_usage)', ''],
    ['karpenter_nodepools_usage{zone="a"}', ''],
    ['sum by (nodepool) (karpenter_nodepools_usage)', '{{zone}}'],
    ['up', ''],
  ])('would be found to be wrong with the query %s', (query, legend) => expect(unserved(query, legend)).not.toEqual([]))
})
