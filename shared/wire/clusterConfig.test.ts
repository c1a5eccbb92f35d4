import { describe, expect, it } from 'vitest'
import { parseClusterConfig, parseClusterConfigs } from './clusterConfig.ts'

const CONFIG = {
  id: 'demo',
  subscriptionId: '00000000-0000-4000-8000-000000000001',
  location: 'eastus',
  nodeResourceGroup: 'MC_a_b_eastus',
  clusterName: 'b',
  vnetSubnetId: '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/n',
  apiServer: 'https://b.hcp.eastus.azmk8s.io',
  caBundle: 'Y2E=',
  kubernetesVersion: '1.34.2',
  sshPublicKey: 'ssh-ed25519 AAAA',
  networkDataplane: 'azure',
}

const TOPIC = '/subscriptions/s/resourceGroups/g/providers/Microsoft.EventGrid/topics/t'

describe('JOINER_CLUSTERS', () => {
  it('fills in what may be left out', () => {
    expect(parseClusterConfigs(JSON.stringify([CONFIG]))).toMatchObject({
      ok: true,
      value: [
        {
          ...CONFIG,
          adminUsername: 'azureuser',
          machinePrefix: 'joiner-',
          formerMachinePrefixes: ['aks-'],
          dnsServiceIp: '10.0.0.10',
          vmMemoryOverheadPercent: 0.075,
          images: { gallery: 'community', version: 'latest' },
        },
      ],
    })
  })

  const cases: Record<string, { text: string; want: string }> = {
    'no JSON': { text: '{', want: 'setting JOINER_CLUSTERS: must be a JSON array of clusters' },
    'no cluster': { text: '[]', want: 'setting JOINER_CLUSTERS: must name at least one cluster' },
    'a bad id': { text: JSON.stringify([{ ...CONFIG, id: 'Demo!' }]), want: 'JOINER_CLUSTERS[0].id: must be 1 to 40 lower-case letters' },
    'no data plane of the network': {
      text: JSON.stringify([{ ...CONFIG, networkDataplane: undefined }]),
      want: 'JOINER_CLUSTERS[0].networkDataplane: must be azure or cilium, as `az aks show --query networkProfile.networkDataplane` says',
    },
    "a data plane that does not go with the network's policies": {
      text: JSON.stringify([{ ...CONFIG, networkPolicy: 'cilium' }]),
      want: 'JOINER_CLUSTERS[0].networkDataplane: must be cilium where networkPolicy is',
    },
    'a subnet that is none': {
      text: JSON.stringify([{ ...CONFIG, vnetSubnetId: '/nope' }]),
      want: 'JOINER_CLUSTERS[0].vnetSubnetId: must be the resource id of a subnet',
    },
    'plain http': {
      text: JSON.stringify([{ ...CONFIG, apiServer: 'http://b' }]),
      want: 'JOINER_CLUSTERS[0].apiServer: must be an https URL',
    },
    'a prefix of machines that AKS uses': {
      text: JSON.stringify([{ ...CONFIG, machinePrefix: 'aks-' }]),
      want: 'JOINER_CLUSTERS[0].machinePrefix: must be 2 to 16 lower-case letters',
    },
    'a prefix of machines that leaves no room for the claim': {
      text: JSON.stringify([{ ...CONFIG, machinePrefix: 'a-prefix-that-is-long-' }]),
      want: 'machinePrefix: must be 2 to 16',
    },
    'a prefix of machines that begins with an earlier one': {
      text: JSON.stringify([{ ...CONFIG, machinePrefix: 'j-x-', formerMachinePrefixes: ['j-'] }]),
      want: 'JOINER_CLUSTERS[0].formerMachinePrefixes: must not begin as another prefix of machines does',
    },
    'an unknown field': { text: JSON.stringify([{ ...CONFIG, colour: 'red' }]), want: 'colour' },
    'the same topic twice': {
      text: JSON.stringify([
        { ...CONFIG, eventGridTopicId: TOPIC },
        { ...CONFIG, id: 'other' },
        { ...CONFIG, id: 'third', eventGridTopicId: TOPIC.toUpperCase().replace('/SUBSCRIPTIONS', '/subscriptions') },
      ]),
      want: 'JOINER_CLUSTERS[2].eventGridTopicId: must be unique; ',
    },
    'the same id twice': { text: JSON.stringify([CONFIG, CONFIG]), want: 'JOINER_CLUSTERS[1].id: must be unique; demo is there twice' },
  }
  it.each(Object.entries(cases))('refuses %s and names the place', (_sentence, { text, want }) => {
    const parsed = parseClusterConfigs(text)
    expect(parsed.ok ? [] : parsed.error.map((problem) => problem.message).join('\n')).toContain(want)
  })

  it('is refused by the place of what is wrong, as data', () => {
    expect(parseClusterConfigs('{')).toMatchObject({ error: [{ code: 'SETTING.INVALID', object: 'JOINER_CLUSTERS' }] })
    const empty = parseClusterConfigs('[]')
    expect(empty).toMatchObject({ error: [{ code: 'SETTING.INVALID', object: 'JOINER_CLUSTERS' }] })
    expect(empty.ok || empty.error.some((problem) => 'path' in problem)).toBe(false)
    const wrong = { ...CONFIG, images: { gallery: 'private' } }
    expect(parseClusterConfigs(JSON.stringify([wrong]))).toMatchObject({
      error: [{ object: 'JOINER_CLUSTERS', path: '[0].images.gallery' }],
    })
  })

  it('may name several clusters, with a topic or without, and the data plane of Cilium with its policies', () => {
    const cilium = { ...CONFIG, id: 'third', networkPolicy: 'cilium', networkDataplane: 'cilium' }
    const parsed = parseClusterConfigs(JSON.stringify([{ ...CONFIG, eventGridTopicId: TOPIC }, { ...CONFIG, id: 'other' }, cilium]))
    expect(parsed).toMatchObject({ ok: true, value: [{ id: 'demo' }, { id: 'other' }, { id: 'third' }] })
  })

  it('is read entry by entry as well', () => {
    expect(parseClusterConfig(CONFIG)).toMatchObject({ ok: true, value: { id: 'demo' } })
    expect(parseClusterConfig({ ...CONFIG, id: 'Demo!' })).toMatchObject({
      ok: false,
      error: [{ path: 'id', message: expect.stringContaining('setting JOINER_CLUSTERS.id: must be') }],
    })
  })
})
