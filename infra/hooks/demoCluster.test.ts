import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { preflight } from '../../shared/engine/preflight/preflight.ts'
import { parseManagedCluster } from '../../shared/wire/azure/managedCluster.ts'
import { managedCluster } from '../../test/builders/managedCluster.ts'
import { createEvaluator, DEPLOYMENT_CONTEXT } from '../check/evaluate/evaluate.ts'
import { toJson } from '../check/evaluate/value.ts'
import { DEMO_SETS } from '../check/parameterSets.ts'
import { repositorySources } from '../check/sources.ts'

const evaluator = await createEvaluator(repositorySources(repositoryRoot).readText)
const [, asked] = DEMO_SETS

/** Properties that AKS adds to the requested ones in its answer for any cluster. */
const MADE_BY_AKS = [
  'provisioningState',
  'powerState',
  'currentKubernetesVersion',
  'fqdn',
  'nodeResourceGroup',
  'identityProfile',
  'servicePrincipalProfile',
]

describe('the demo cluster', () => {
  it('is one that the preflight has nothing to say against', () => {
    const { resources } = evaluator.evaluate('infra/demo.bicep', asked?.parameters ?? {}, {})
    const made = resources.find(({ type }) => type === 'Microsoft.ContainerService/managedClusters')
    if (made === undefined) throw new Error('there is no cluster')
    const body = toJson(made.body) as { readonly properties: { readonly oidcIssuerProfile: object } }
    const answered = managedCluster()['properties'] as { readonly [member: string]: unknown }
    const issuer = { oidcIssuerProfile: { ...body.properties.oidcIssuerProfile, issuerURL: 'https://issuer.example.com/' } }
    const added = Object.fromEntries(MADE_BY_AKS.map((name) => [name, answered[name]]))
    const read = parseManagedCluster({ ...body, properties: { ...body.properties, ...added, ...issuer } }, made.id)
    if (!read.ok) throw new Error(read.error.message)
    expect(preflight(read.value, { network: 'public', subscriptionId: DEPLOYMENT_CONTEXT.subscriptionId })).toEqual([])
    expect(read.value).toMatchObject({
      network: { plugin: 'azure', pluginMode: 'overlay', dataplane: 'cilium', policy: 'cilium' },
      entra: { tenantId: DEPLOYMENT_CONTEXT.tenantId },
      pools: [{ mode: 'System', taints: ['CriticalAddonsOnly=true:NoSchedule'] }],
    })
  })

  it('is in a resource group of its own, which is not that of Joiner', () => {
    const groupOf = (main: string, parameters: object): readonly string[] =>
      evaluator
        .evaluate(main, { ...parameters }, {})
        .resources.flatMap(({ type, name }) => (type.endsWith('/resourceGroups') ? [name] : []))
    expect(groupOf('infra/demo.bicep', asked?.parameters ?? {})).toEqual(['rg-joiner-demo-dev'])
  })
})
