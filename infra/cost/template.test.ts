import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ASSUMED } from '../../cli/cost/assumed.ts'
import { IDLE, SMALL } from '../../cli/cost/scenarios.ts'
import { usageOf } from '../../cli/cost/usage.ts'
import { SAMPLE_MS } from '../../functions/reportBacklog.ts'
import { createTestApp } from '../../functions/testing/testApp.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import { createEvaluator, type Evaluation, type Evaluator } from '../check/evaluate/evaluate.ts'
import { toJson } from '../check/evaluate/value.ts'
import { LAYERS } from '../check/parameterSets.ts'
import { alertsFile } from '../monitor/alerts.ts'
import { readQueries } from '../monitor/queries.ts'

/** Types of resources of the templates that cost nothing by existing, or whose use has its own line in the bill. */
const COSTS_NOTHING = [
  // A demo cluster is not part of an installation. docs/install.md says what it costs.
  'Microsoft.ContainerService/managedClusters',
  'Microsoft.Authorization/roleAssignments',
  'Microsoft.Authorization/roleDefinitions',
  'Microsoft.Consumption/budgets',
  'Microsoft.EventGrid/',
  'Microsoft.ManagedIdentity/',
  'Microsoft.Network/privateDnsZones/virtualNetworkLinks',
  'Microsoft.Network/privateEndpoints/privateDnsZoneGroups',
  'Microsoft.Network/virtualNetworks',
  // The traffic of a peering costs $0.01 a GB in each direction. For posts of the shim that is less than a cent: docs/cost.md.
  'Microsoft.Network/virtualNetworks/virtualNetworkPeerings',
  'Microsoft.Resources/resourceGroups',
  'Microsoft.Storage/storageAccounts/',
  'Microsoft.Web/sites/',
  // The workbook in the portal, and the recipients of alerts.
  'Microsoft.Insights/actionGroups',
  'Microsoft.Insights/workbooks',
  // The test below compares their number with the bill.
  'Microsoft.Insights/metricAlerts',
  'Microsoft.Insights/scheduledQueryRules',
  // Name, settings and rules cost nothing. Their use is a line of the bill.
  'Microsoft.Insights/components',
  'Microsoft.OperationalInsights/workspaces',
  'Microsoft.Storage/storageAccounts',
  'Microsoft.Web/serverfarms',
  'Microsoft.Web/sites',
]
const PAID_BY_THE_PIECE = {
  'Microsoft.Network/natGateways': ['NAT gateway', 730],
  'Microsoft.Network/publicIPAddresses': ['fixed address', 730],
  'Microsoft.Network/privateEndpoints': ['private endpoints', 730],
  'Microsoft.Network/privateDnsZones': ['private DNS zones', 1],
} as const

const MAIN = LAYERS[0] ?? expect.fail('no layer')
const [ANY] = MAIN.sets
let evaluator: Evaluator

beforeAll(async () => {
  evaluator = await createEvaluator((path) => readFileSync(join(repositoryRoot, path), 'utf8'))
})

function evaluate(parameters: { readonly network?: string; readonly size?: string }): Evaluation {
  const evaluation = evaluator.evaluate(MAIN.main, { ...ANY?.parameters, ...parameters })
  expect(evaluation.findings).toEqual([])
  return evaluation
}

describe.each(['public', 'vnet', 'private'] as const)('the template with network %s', (network) => {
  it.each(Object.entries(PAID_BY_THE_PIECE))('makes as many %s as the bill has', (type, [what, each]) => {
    const made = evaluate({ network }).resources.filter((resource) => resource.type === type).length
    const billed = usageOf({ ...SMALL, network }, IDLE).find((use) => use.what === what)?.quantity ?? 0
    expect(billed).toBe(made * each)
  })
})

describe('the bill', () => {
  it('knows every type of resource that any template makes', () => {
    const types = LAYERS.flatMap(({ main, sets }) =>
      sets.flatMap(({ parameters, deploymentContext }) =>
        evaluator
          .evaluate(main, parameters, deploymentContext === undefined ? {} : { deploymentContext })
          .resources.map(({ type }) => type),
      ),
    )
    const isKnown = (type: string): boolean =>
      type in PAID_BY_THE_PIECE || COSTS_NOTHING.some((known) => type === known || (known.endsWith('/') && type.startsWith(known)))
    expect(types.length).toBeGreaterThan(100)
    expect([...new Set(types.filter((type) => !isKnown(type)))]).toEqual([])
  })

  it('has as many instances that are always ready as the template asks for', () => {
    const warm = (size: string): string =>
      JSON.stringify(
        evaluate({ size })
          .resources.filter(({ type }) => type === 'Microsoft.Web/sites')
          .map(({ body }) => toJson(body)),
      )
    expect([...warm('fast').matchAll(/"instanceCount":1\b/g)]).toHaveLength(2)
    expect(warm('small')).toContain('"alwaysReady":[]')
  })

  it('lets one instance of each size take the open answers of twenty shims and the questions of people', () => {
    for (const size of ['small', 'fast']) {
      const sites = evaluate({ size }).resources.filter(({ type }) => type === 'Microsoft.Web/sites')
      expect(sites.map(({ body }) => JSON.stringify(toJson(body)))).toEqual([
        expect.stringContaining('"triggers":{"http":{"perInstanceConcurrency":100}}'),
      ])
    }
  })

  it('has a line for each alert that the template makes', () => {
    const { resources } = evaluate({})
    const made = (type: string): number => resources.filter((resource) => resource.type === type).length
    const { logAlerts, metricAlertSeries } = ASSUMED
    expect(made('Microsoft.Insights/scheduledQueryRules')).toBe(logAlerts.every15Minutes + logAlerts.every5Minutes)
    expect(made('Microsoft.Insights/metricAlerts')).toBeLessThanOrEqual(metricAlertSeries)
  })

  it('has an alert for each way in which the topic of a cluster loses an event', () => {
    const { resources } = evaluate({})
    const topics = resources.filter(({ type }) => type === 'Microsoft.EventGrid/topics').length
    const alerts = resources
      .filter(({ type }) => type === 'Microsoft.Insights/metricAlerts')
      .map(({ body }) => JSON.stringify(toJson(body)))
    for (const metric of ['DeadLetteredCount', 'DroppedEventCount'])
      expect([metric, alerts.filter((alert) => alert.includes(`"metricName":"${metric}"`)).length]).toEqual([metric, topics])
  })

  it('counts looks at queues as host.json and the triggers of the app make them', () => {
    const host: { readonly extensions: { readonly queues: { readonly maxPollingInterval: string } } } = JSON.parse(
      readFileSync(join(repositoryRoot, 'host.json'), 'utf8'),
    )
    const { pollSeconds, countSeconds } = ASSUMED
    expect(countSeconds * 1_000).toBe(SAMPLE_MS)
    expect(host.extensions.queues.maxPollingInterval).toBe(`00:00:${pollSeconds.function}`)
    const settings = (network: string): string => JSON.stringify(evaluate({ network }).resources.map(({ body }) => toJson(body)))
    const overridden = `"AzureFunctionsJobHost__extensions__queues__maxPollingInterval":"00:00:0${pollSeconds.queue}"`
    expect(settings('private')).toContain(overridden)
    expect(settings('vnet')).not.toContain('maxPollingInterval')
    for (const eventDelivery of ['function', 'queue'] as const) {
      const { triggers } = createTestApp({ eventDelivery })
      expect([...triggers.values()].filter((kind) => kind === 'queue')).toHaveLength(ASSUMED.queues[eventDelivery])
    }
  })

  describe('of the rows that the Functions host writes', () => {
    const host = z
      .object({
        telemetryMode: z.enum(['ApplicationInsights', 'OpenTelemetry']),
        logging: z.object({
          applicationInsights: z.record(z.string(), z.unknown()),
          logLevel: z.record(z.string(), z.string()),
        }),
      })
      .parse(JSON.parse(readFileSync(join(repositoryRoot, 'host.json'), 'utf8')))
    /** Tables that the host writes, and the category that fills each. */
    const CATEGORIES = { AppRequests: 'Host.Results' }

    it('takes the mode of host.json, which is the least of those that were measured', () => {
      const { aMinute } = ASSUMED.hostKb
      expect(aMinute[host.telemetryMode]).toBe(Math.min(...Object.values(aMinute)))
      const { quantity } = usageOf(SMALL, IDLE).find(({ what }) => what === 'logs of the Functions host') ?? expect.fail('no line')
      // The timer keeps one instance alive all month.
      expect(quantity).toBeGreaterThanOrEqual((730 * 60 * aMinute[host.telemetryMode]) / 1_000_000)
    })

    it('counts each instance that is always ready', () => {
      const gb = (size: 'small' | 'fast'): number =>
        usageOf({ ...SMALL, size }, IDLE).find(({ what }) => what === 'logs of the Functions host')?.quantity ?? 0
      expect(gb('fast')).toBeGreaterThan(gb('small') + (730 * 60 * ASSUMED.hostKb.aMinute.ApplicationInsights) / 1_000_000)
    })

    it('keeps the rows that queries and alerts read, and writes no others at each run', () => {
      const texts = [...[...readQueries()].map(([, text]) => text), alertsFile()]
      for (const [table, category] of Object.entries(CATEGORIES)) {
        expect(texts.some((text) => text.includes(table))).toBe(true)
        expect([category, host.logging.logLevel[category]]).toEqual([category, 'Information'])
      }
      // `default` has the lines of a start, which say why an app has no functions.
      const kept = Object.keys(host.logging.logLevel).filter((category) => host.logging.logLevel[category] === 'Information')
      expect(kept).toEqual(['default', ...Object.values(CATEGORIES)])
    })

    it('reads no table that only switched off collections of the host fill', () => {
      const { enablePerformanceCountersCollection, enableDependencyTracking } = host.logging.applicationInsights
      expect([enablePerformanceCountersCollection, enableDependencyTracking]).toEqual([false, false])
      for (const [name, text] of readQueries()) {
        expect([name, /AppPerformanceCounters|AppBrowserTimings/.test(text)]).toEqual([name, false])
        // The app writes the dependencies that a query reads: they have the names of its stages.
        if (text.includes('AppDependencies')) expect(text).toMatch(/where Name in \("pending", "window"/)
      }
    })
  })
})
