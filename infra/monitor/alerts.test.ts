import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SAMPLE_MS } from '../../functions/reportBacklog.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import { TRUST } from '../../shared/flows/ledger/rest.ts'
import { alertsFile, SILENT_MINUTES, WAITING_MS, writtenAlerts, writtenConditions } from './alerts.ts'
import { evaluateQuery, type Row } from './kql/evaluate.ts'
import { parseQuery } from './kql/parse.ts'
import { createKusto } from './kusto.ts'

const bind = createKusto()

describe.each(writtenAlerts().map((alert) => [alert.name, alert] as const))('alert %s', (_, { query, dimensions }) => {
  it('binds, and has the columns that tell its alarms apart', () => {
    const { problems, columns } = bind(query)
    expect(problems).toEqual([])
    // A dimension of an alert must be a text.
    expect(dimensions.map((each) => columns[each])).toEqual(dimensions.map(() => 'string'))
  })
})

describe.each(writtenConditions().map((each) => [each.condition, each] as const))('condition %s', (name, { alert, runbook }) => {
  const page = readFileSync(join(repositoryRoot, runbook), 'utf8')

  it('has a page that says what to do, and whose alert it is', () => {
    expect(page).toContain(`\`${name}\``)
    expect(page).toContain(`\`${alert}\``)
    expect(writtenAlerts().find((each) => each.name === alert)?.runbook).toContain(runbook)
  })
})

describe('conditions of limits and queues', () => {
  const NOW = 10 * 3_600_000
  const measure = (Name: string, Max: number, Properties: { readonly [name: string]: string }, minutesAgo = 1): Row => ({
    TimeGenerated: NOW - minutesAgo * 60_000,
    Name,
    Max,
    Properties,
  })
  const family = { region: 'eastus', family: 'standarddsv5family' }
  const throttled = (Sum: number, minutesAgo = 1): Row => ({ ...measure('azure.throttled', 1, {}, minutesAgo), Sum })
  const alarms = (condition: string, rows: readonly Row[]): number => {
    const { query } = writtenConditions().find((each) => each.condition === condition) ?? expect.fail(condition)
    return evaluateQuery(parseQuery(query), rows, NOW).length
  }

  it.each<[string, readonly Row[], number]>([
    ['quota-nearly-used', [measure('quota.used', 90, family), measure('quota.limit', 100, family)], 1],
    ['quota-nearly-used', [measure('quota.used', 89, family), measure('quota.limit', 100, family)], 0],
    // The newest limit counts: the quota was raised.
    [
      'quota-nearly-used',
      [measure('quota.used', 95, family), measure('quota.limit', 100, family, 60), measure('quota.limit', 200, family)],
      0,
    ],
    ['pool-at-limit', [measure('nodepool.limit.used', 0.9, { cluster: 'a', nodePool: 'p' })], 1],
    ['pool-at-limit', [measure('nodepool.limit.used', 0.8, { cluster: 'a', nodePool: 'p' })], 0],
    [
      'waiting-messages',
      [measure('queue.messages', 5_000, { queue: 'interruption' }), measure('queue.waiting_ms', 299_000, { queue: 'interruption' })],
      0,
    ],
    ['waiting-messages', [measure('queue.messages', 1, { queue: 'wake' }), measure('queue.waiting_ms', 301_000, { queue: 'wake' })], 1],
    ['azure-throttled', [throttled(11)], 1],
    ['azure-throttled', [throttled(10), measure('azure.remaining', 3, { part: 'reads' })], 0],
    // Azure throttled an hour ago. The window is that long only for the quotas.
    ['azure-throttled', [throttled(50, 60)], 0],
    // Messages that are not due yet.
    ['waiting-messages', [measure('queue.messages', 5_000, { queue: 'interruption' })], 0],
  ])('%s of %j', (condition, rows, count) => expect(alarms(condition, rows)).toBe(count))
})

describe('the alerts', () => {
  it('see a notice that nobody takes before it ends', () => {
    const [, seconds] =
      /queueMessageTimeToLiveInSeconds: (\d+)/.exec(readFileSync(join(repositoryRoot, 'infra/delivery.bicep'), 'utf8')) ?? []
    expect(WAITING_MS + SAMPLE_MS).toBeLessThanOrEqual(Number(seconds) * 1_000)
  })

  it('take no cluster at rest for a silent one', () => {
    const sent = 5
    expect(SILENT_MINUTES).toBeGreaterThan(TRUST.withoutMachines / 60_000 + sent)
  })

  it('are what the template reads', () => {
    expect(readFileSync(join(repositoryRoot, 'infra/alerts/alerts.json'), 'utf8'), 'run npm run generate').toBe(alertsFile())
  })

  it('have names of their own, and no page is about another', () => {
    const ofTemplate = [
      ...readFileSync(join(repositoryRoot, 'infra/modules/alerts.bicep'), 'utf8').matchAll(/docs\/runbooks\/([\w-]+\.md)/g),
    ].map(([, page]) => page)
    const names = [...writtenConditions().map(({ condition }) => `${condition}.md`), ...ofTemplate]
    expect(new Set(names).size).toBe(names.length)
    expect(readdirSync(join(repositoryRoot, 'docs/runbooks')).sort()).toEqual([...new Set(names)].sort())
  })
})
