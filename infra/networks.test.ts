import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../scripts/floors.ts'
import { createEvaluator, type Evaluation } from './check/evaluate/evaluate.ts'
import { MAIN_SETS, type ParameterSet } from './check/parameterSets.ts'
import { at } from './check/rules/rule.ts'
import { repositorySources } from './check/sources.ts'

const { readText } = repositorySources(repositoryRoot)
const evaluator = await createEvaluator(readText)

type Cluster = { readonly id: string; readonly subnetIds: readonly string[]; readonly privateDnsZoneId?: string }

const PEERING = 'Microsoft.Network/virtualNetworks/virtualNetworkPeerings'
const LINK = 'Microsoft.Network/privateDnsZones/virtualNetworkLinks'
const SITE_ZONE = /privatelink\.(azurewebsites|chinacloudsites)\./

function evaluate(set: ParameterSet): Evaluation {
  return evaluator.evaluate('infra/main.bicep', set.parameters, set)
}

const clustersOf = ({ parameters }: ParameterSet): readonly Cluster[] => parameters['clusters'] as unknown as readonly Cluster[]
const networkOf = (subnetId: string): string => subnetId.toLowerCase().replace(/\/subnets\/[^/]+$/, '')
const networksOf = (clusters: readonly Cluster[]): readonly string[] => [
  ...new Set(clusters.flatMap(({ subnetIds }) => subnetIds.map(networkOf))),
]

/** Returns `from to` for each peering and `zone network` for each link, as ids in lower case. */
function pairs({ resources }: Evaluation, type: string, field: string): readonly string[] {
  return resources
    .filter((resource) => resource.type === type)
    .map((resource) => `${parentOf(resource.id)} ${String(at(resource, field))}`.toLowerCase())
}

const parentOf = (id: string): string => id.split('/').slice(0, -2).join('/')

const joined = MAIN_SETS.filter(({ parameters }) => parameters['network'] === 'private' && parameters['subnets'] === undefined)
const fixed = MAIN_SETS.filter(({ parameters }) => parameters['network'] === 'vnet' && parameters['subnets'] === undefined)
const apart = MAIN_SETS.filter((set) => !joined.includes(set) && !fixed.includes(set))

describe('a network of our own', () => {
  it.each(joined)('is joined in both directions with the network of each cluster, which finds the app: $name', (set) => {
    const evaluation = evaluate(set)
    const [own = ''] = evaluation.resources
      .filter(({ type }) => type === 'Microsoft.Network/virtualNetworks')
      .map(({ id }) => id.toLowerCase())
    const networks = networksOf(clustersOf(set))
    const peerings = pairs(evaluation, PEERING, 'properties.remoteVirtualNetwork.id')
    expect([...peerings].sort()).toEqual(networks.flatMap((id) => [`${own} ${id}`, `${id} ${own}`]).sort())
    const links = pairs(evaluation, LINK, 'properties.virtualNetwork.id')
    for (const id of networks) expect(links.filter((link) => SITE_ZONE.test(link) && link.endsWith(` ${id}`))).toHaveLength(1)
  })

  it.each([...joined, ...fixed])('resolves the API server of each private cluster, and reaches it: $name', (set) => {
    const evaluation = evaluate(set)
    const closed = clustersOf(set).filter(({ privateDnsZoneId }) => privateDnsZoneId !== undefined)
    const links = pairs(evaluation, LINK, 'properties.virtualNetwork.id').filter((link) => link.includes('.azmk8s.io '))
    expect(links.map((link) => link.split(' ')[0])).toEqual(closed.map(({ privateDnsZoneId }) => privateDnsZoneId?.toLowerCase()))
    const reached = pairs(evaluation, PEERING, 'properties.remoteVirtualNetwork.id').map((pair) => pair.split(' ')[1])
    for (const id of networksOf(closed)) expect(reached).toContain(id)
  })
})

it.each(apart)('networks that exist are left as they are, and so are those nobody needs: $name', (set) => {
  expect(pairs(evaluate(set), PEERING, 'properties.remoteVirtualNetwork.id')).toEqual([])
})
