import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chartImage, imageText } from '../../cli/preflight/shimImage.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import { createEvaluator } from '../check/evaluate/evaluate.ts'
import type { Json } from '../check/evaluate/value.ts'
import { repositorySources } from '../check/sources.ts'
import type { HookDeps } from './hookDeps.ts'
import { runPreprovision } from './runPreprovision.ts'
import { cutOff, Gone } from './testing/cutOff.ts'
import { type HookWorld, hookWorld, KUBECONFIG, webOf } from './testing/localAzure.ts'

let world: HookWorld
beforeEach(async () => {
  world = await hookWorld()
})
afterEach(() => world.close())

function change(properties: object): void {
  const { azure } = world
  const held = azure.getResource(azure.clusterResourceId)
  if (held === undefined) throw new Error('there is no cluster')
  azure.putResource({ ...held, properties: { ...(held['properties'] as object), ...properties } })
}

const facts = (): Json => JSON.parse(world.values.get('JOINER_CLUSTER_FACTS') ?? 'null') as Json

describe('preprovision', () => {
  it('tells the templates what they must know of each cluster', async () => {
    expect(await runPreprovision(world.deps()), world.lines.join('\n')).toBe(0)
    const { azure } = world
    const group = `/subscriptions/${azure.subscriptionId}/resourceGroups/MC_local_demo_eastus/providers`
    expect(facts()).toEqual([
      {
        name: 'local',
        id: azure.clusterResourceId,
        nodeResourceGroup: 'MC_local_demo_eastus',
        oidcIssuer: `https://eastus.oic.invalid/${azure.tenantId}/`,
        subnetIds: [azure.subnetId],
        identityIds: [`${group}/Microsoft.ManagedIdentity/userAssignedIdentities/local-agentpool`],
        overrides: { caBundle: 'Y2E=' },
      },
    ])
    expect(world.lines[0]).toBe('ok    local: Entra, OIDC issuer, workload identity, Kubernetes 1.34.0, azure overlay with cilium')
    expect(world.lines.at(-1)).toMatch(/^cost {2}idle \$\d+ a month/)
  })

  it('tells them the set that encrypts the disks of machines: that of the entry, or else that of the cluster', async () => {
    const sets = `/subscriptions/${world.azure.subscriptionId}/resourceGroups/keys/providers/Microsoft.Compute/diskEncryptionSets`
    change({ diskEncryptionSetID: `${sets}/cluster` })
    expect(await runPreprovision(world.deps()), world.lines.join('\n')).toBe(0)
    expect(facts()).toMatchObject([{ diskEncryptionSetId: `${sets}/cluster` }])
    const evaluator = await createEvaluator(repositorySources(repositoryRoot).readText)
    const { resources } = evaluator.evaluate('infra/main.bicep', { environmentName: 'dev', location: 'eastus', clusters: facts() }, {})
    const assigned = resources.filter(({ file }) => file === 'infra/modules/diskRights.bicep')
    expect(assigned.map(({ scope }) => scope.id.toLowerCase())).toEqual([`${sets}/cluster`.toLowerCase()])
    world.values.set('JOINER_CLUSTER_OVERRIDES', JSON.stringify({ local: { diskEncryptionSetId: `${sets}/mine` } }))
    expect(await runPreprovision(world.deps()), world.lines.join('\n')).toBe(0)
    expect(facts()).toMatchObject([{ diskEncryptionSetId: `${sets}/mine` }])
  })

  it('tells them what the templates take', async () => {
    await runPreprovision(world.deps())
    const evaluator = await createEvaluator(repositorySources(repositoryRoot).readText)
    const { findings } = evaluator.evaluate('infra/main.bicep', { environmentName: 'dev', location: 'eastus', clusters: facts() }, {})
    expect(findings).toEqual([])
  })

  it('ends with every finding of every cluster, and nothing written', async () => {
    change({ nodeResourceGroupProfile: { restrictionLevel: 'ReadOnly' }, powerState: { code: 'Stopped' } })
    world.values.set('JOINER_CLUSTER_IDS', `${world.azure.clusterResourceId} ${world.azure.clusterResourceId}x`)
    const before = new Map(world.values)
    expect(await runPreprovision(world.deps())).toBe(1)
    const text = world.lines.join('\n')
    for (const words of [
      'FAIL  PREFLIGHT.NODE_GROUP_LOCKED',
      'FAIL  PREFLIGHT.STOPPED',
      'FAIL  AZURE.NOT_FOUND',
      'cost  ',
      'Nothing was made',
    ])
      expect(text).toContain(words)
    expect(world.values).toEqual(before)
    expect(world.azure.requests.all().filter(({ method }) => method !== 'GET')).toEqual([])
  })

  it.each([
    ['JOINER_CLUSTER_IDS', '', 'JOINER_CLUSTER_IDS: names no cluster'],
    ['JOINER_CLUSTER_IDS', 'shop', 'JOINER_CLUSTER_IDS.0: must be resource ids of AKS clusters'],
    ['JOINER_NETWORK', 'internet', 'JOINER_NETWORK: '],
    ['JOINER_SHIM_AUTH', 'entra', 'JOINER_ENTRA_AUDIENCE: names no app registration'],
    ['JOINER_SUBNETS', '{', 'JOINER_SUBNETS: must be JSON'],
    ['JOINER_CLUSTER_OVERRIDES', '[]', 'JOINER_CLUSTER_OVERRIDES: '],
    ['JOINER_DEMO_CLUSTER', 'yes', 'JOINER_DEMO_CLUSTER: '],
    ['JOINER_NETWORK', '', 'JOINER_NETWORK: is empty, and azd sends the empty text'],
    ['JOINER_TAGS', '', 'JOINER_TAGS: is empty, and azd sends the empty text'],
    ['JOINER_BUDGET', 'a lot', 'JOINER_BUDGET: must be a whole number from 0 to 100000, without other characters: azd drops what is none'],
    ['JOINER_BUDGET', '1e3', 'JOINER_BUDGET: must be a whole number'],
    ['JOINER_RETENTION_DAYS', '7', 'JOINER_RETENTION_DAYS: must be a whole number from 30 to 730'],
    ['JOINER_NETWROK', 'vnet', 'JOINER_NETWROK: is not known; did you mean JOINER_NETWORK?'],
    ['JOINER_CLUSTERS', '[]', 'JOINER_CLUSTERS: is not known; did you mean JOINER_CLUSTER_IDS'],
    ['JOINER_CHART_VALUES', '{"shim":{"replicas":9}}', 'JOINER_CHART_VALUES.shim.replicas: '],
    ['JOINER_CHART_VALUES', '{"imag":{}}', 'JOINER_CHART_VALUES: Unrecognized key: "imag"'],
    ['JOINER_SHIM_IMAGE', 'shim@sha256:ab', 'JOINER_SHIM_IMAGE: '],
    ['JOINER_APP_SETTINGS', '{"LEAST_SAVING_SHARE":"2"}', 'JOINER_APP_SETTINGS.LEAST_SAVING_SHARE: '],
    ['JOINER_APP_SETTINGS', '{"LOG_LEVEL":1}', 'JOINER_APP_SETTINGS.LOG_LEVEL: '],
    ['JOINER_APP_SETTINGS', '{"LOG_LEVL":"debug"}', 'JOINER_APP_SETTINGS.LOG_LEVL: is no setting of the app; did you mean LOG_LEVEL?'],
    ['JOINER_APP_SETTINGS', '{"BATCH_IDLE_DURATION":"20s"}', 'JOINER_APP_SETTINGS.BATCH_IDLE_DURATION: must not be longer than BATCH_MAX'],
    ['JOINER_CLUSTER_OVERRIDES', '{"local":{"networkPlugn":"azure"}}', 'JOINER_CLUSTER_OVERRIDES.local: Unrecognized key: "networkPlugn"'],
    ['JOINER_CLUSTER_OVERRIDES', '{"local":{"machinePrefix":"Shop-"}}', 'JOINER_CLUSTER_OVERRIDES.local.machinePrefix: must be 2 to 16'],
    ['JOINER_CLUSTER_OVERRIDES', '{"locl":{}}', 'JOINER_CLUSTER_OVERRIDES.locl: names no cluster; did you mean local?'],
  ])('refuses %s=%s by its name before it asks anybody', async (name, value, words) => {
    world.values.set(name, value)
    const deps = cutOff(world.deps())
    expect(await runPreprovision(deps)).toBe(1)
    expect(world.lines).toEqual([expect.stringContaining(`FAIL  SETTING.INVALID   ${words}`)])
    expect(deps.calls()).toEqual([])
  })

  describe('of the whole place', () => {
    let subnet: string
    beforeEach(() => {
      const { azure } = world
      subnet = `${azure.subnetId.split('/virtualNetworks/')[0]}/virtualNetworks/own/subnets/app`
      holdSubnet({ addressPrefix: '10.0.0.0/26', delegations: [{ properties: { serviceName: 'Microsoft.App/environments' } }] })
    })
    const holdSubnet = (properties: object): void => world.azure.putResource({ id: subnet, name: 'app', properties })
    const wishForSubnet = (): void => {
      world.values.set('JOINER_NETWORK', 'vnet')
      world.values.set('JOINER_SUBNETS', JSON.stringify({ app: subnet }))
    }
    /** The hook does not wait for a provider to be registered. */
    function deps(): HookDeps {
      const own = world.deps()
      return { ...own, access: { ...own.access, clock: { ...own.access.clock, sleep: async () => undefined } } }
    }

    it('finds nothing where all is well', async () => {
      wishForSubnet()
      expect(await runPreprovision(deps()), world.lines.join('\n')).toBe(0)
      expect(world.lines.map((line) => line.split(' ')[0])).toEqual(['ok', 'cost'])
    })

    it.each<[string, () => void, string]>([
      ['region', () => world.values.set('AZURE_LOCATION', 'West India'), 'FAIL  PREFLIGHT.REGION   westindia'],
      ['name', () => world.values.set('AZURE_ENV_NAME', 'e'.repeat(41)), 'FAIL  PREFLIGHT.NAME   eee'],
      [
        'tenant',
        () => change({ aadProfile: { managed: true, tenantID: '00000000-0000-4000-8000-00000000000f' } }),
        'FAIL  PREFLIGHT.TENANT   local',
      ],
      ['subnet', () => ((subnet += 'x'), wishForSubnet()), 'FAIL  PREFLIGHT.SUBNET   appx: the subnet for app does not exist'],
      [
        'place in the subnet',
        () => holdSubnet({ addressPrefix: '10.0.0.0/29', ipConfigurations: [{ id: 'nic-1' }] }),
        'FAIL  PREFLIGHT.SUBNET   app: a /29 is too small',
      ],
    ])('ends before anything is made for want of a %s', async (_, take, words) => {
      wishForSubnet()
      take()
      const before = new Map(world.values)
      expect(await runPreprovision(deps())).toBe(1)
      expect(world.lines.join('\n')).toContain(words)
      expect(world.values).toEqual(before)
    })

    it.each<[string, { readonly [name: string]: string }, unknown, number, string]>([
      ['takes no variable for the tenant of the subscription', { AZURE_TENANT_ID: 'other', JOINER_TENANT_ID: 'other' }, undefined, 0, 'ok'],
      ['takes the tenant of the last deployment if ARM tells none', { JOINER_TENANT_ID: 'other' }, {}, 1, 'FAIL  PREFLIGHT.TENANT   local'],
      ['says that nobody told the tenant', {}, {}, 0, 'skip  tenant of the subscription: Azure does not tell it'],
    ])('%s', async (_, values, subscription, code, words) => {
      for (const [name, value] of Object.entries(values)) world.values.set(name, value)
      const own = deps()
      const arm: HookDeps['access']['arm'] = async (asked, signal) => {
        const answer = await own.access.arm(asked, signal)
        return asked.path === `/subscriptions/${world.azure.subscriptionId}` && subscription !== undefined
          ? { ...answer, body: subscription }
          : answer
      }
      expect(await runPreprovision({ ...own, access: { ...own.access, arm } }), world.lines.join('\n')).toBe(code)
      expect(world.lines.join('\n')).toContain(words)
    })

    it('registers the providers that are not, and waits for them', async () => {
      world.azure.setProvider('Microsoft.App', 'NotRegistered')
      world.azure.setProvider('Microsoft.Web', 'Registering')
      expect(await runPreprovision(deps()), world.lines.join('\n')).toBe(0)
      expect(world.lines).toContainEqual(expect.stringMatching(/^warn {2}PREFLIGHT\.PROVIDER {3}Microsoft\.App: /))
      expect(world.lines).toContain('ok    resource provider Microsoft.App is registered')
    })

    it.each<[string, { readonly [name: string]: string }, string, string]>([
      ['the tag of the chart is not published', {}, 'ghcr.io/joiner/shim:0.0.1', 'FAIL  PREFLIGHT.IMAGE'],
      ['a named image is not there', { JOINER_SHIM_IMAGE: 'reg.azurecr.io/shim:2' }, 'reg.azurecr.io/shim:1', 'FAIL  PREFLIGHT.IMAGE'],
      ['a named image is there', { JOINER_SHIM_IMAGE: 'reg.azurecr.io/shim:2' }, 'reg.azurecr.io/shim:2', ''],
      [
        'a digest is there',
        { JOINER_SHIM_IMAGE: `r.example:5000/a/shim@sha256:${'ab'.repeat(32)}` },
        `r.example:5000/a/shim@sha256:${'ab'.repeat(32)}`,
        '',
      ],
      ['chart values name an image that is there', { JOINER_CHART_VALUES: '{"image":{"tag":"9"}}' }, 'ghcr.io/joiner/shim:9', ''],
      [
        'the registry to build in is not there',
        { JOINER_REGISTRY: 'nobody' },
        '',
        'FAIL  PREFLIGHT.IMAGE   nobody: az finds no container registry',
      ],
    ])('asks the registry before anything is made: %s', async (_, values, image, words) => {
      for (const [name, value] of Object.entries(values)) world.values.set(name, value)
      const own = deps()
      const run: HookDeps['run'] = async (program, args, more) =>
        program === 'az' && args[0] === 'version' ? { code: 0, out: '2.80.0', errors: '' } : own.run(program, args, more)
      const web = webOf({ images: new Set([image]), entra: new Set(['reg.azurecr.io']) })
      const code = await runPreprovision({ ...own, run, access: { ...own.access, web } })
      expect(code, world.lines.join('\n')).toBe(words === '' ? 0 : 1)
      expect(world.lines.join('\n')).toContain(words)
      expect(world.azure.requests.all().filter(({ method }) => method === 'PUT')).toEqual([])
    })

    it.each<[string, { readonly [name: string]: string }, Response, RegExp | undefined]>([
      ['is not deployed yet', { JOINER_APP_DEPLOYED: 'false' }, new Response('', { status: 404 }), undefined],
      ['is private', { JOINER_NETWORK: 'private' }, new Response('', { status: 404 }), undefined],
      ['works', {}, Response.json({ code: 'INPUT.UNAUTHENTICATED' }, { status: 401 }), undefined],
      [
        'has no functions',
        {},
        new Response('', { status: 404 }),
        /^warn {2}PREFLIGHT\.APP {3}func-joiner: .*0 functions loaded.*azd deploy/,
      ],
      [
        'refuses its settings',
        {},
        Response.json({ code: 'SETTING.INVALID', message: 'the function app refuses its settings (GC_SCHEDULE)' }, { status: 503 }),
        /^warn {2}PREFLIGHT\.APP {3}func-joiner: .*\(GC_SCHEDULE\); correct them/,
      ],
      ['is away', {}, new Response('', { status: 502 }), /^skip {2}app func-joiner: it answered 502/],
    ])('looks at an app of this environment that %s, which never stops azd up', async (_, values, answer, line) => {
      const own = deps()
      const web: HookDeps['access']['web'] = async (url, init) =>
        url.startsWith('https://func-joiner.example.com/') ? answer.clone() : own.access.web(url, init)
      const app = { JOINER_APP_NAME: 'func-joiner', JOINER_APP_ENDPOINT: 'https://func-joiner.example.com', JOINER_APP_DEPLOYED: 'true' }
      const environment = { ...own.environment, ...app, ...values }
      expect(await runPreprovision({ ...own, environment, access: { ...own.access, web } }), world.lines.join('\n')).toBe(0)
      expect(world.lines.filter((each) => each.includes('func-joiner'))).toEqual(line === undefined ? [] : [expect.stringMatching(line)])
    })

    it('says that a registry was not asked if nobody answers', async () => {
      const own = deps()
      const web = () => Promise.reject(new Error('no such host'))
      expect(await runPreprovision({ ...own, access: { ...own.access, web } })).toBe(0)
      expect(world.lines).toContain(`skip  image ${imageText(chartImage())}: no such host`)
    })

    it('fails where Helm is missing, by its name', async () => {
      const own = deps()
      const run: HookDeps['run'] = async (program, args, more) =>
        program === 'helm' ? { code: 127, out: '', errors: '' } : own.run(program, args, more)
      expect(await runPreprovision({ ...own, run })).toBe(1)
      expect(world.lines.join('\n')).toContain('FAIL  PREFLIGHT.TOOL   helm: it is not installed')
    })

    it.each([
      ['v3.14.0', 0],
      ['v4.3', 0],
      ['v3.13.9', 1],
      ['v3.9', 1],
    ])('ends, with Helm %s, with %i', async (version, expected) => {
      const own = deps()
      const run: HookDeps['run'] = async (program, args, more) =>
        program === 'helm' ? { code: 0, out: version, errors: '' } : own.run(program, args, more)
      expect(await runPreprovision({ ...own, run }), world.lines.join('\n')).toBe(expected)
    })

    /** A cluster with a release of the chart, as Helm stores it. */
    function withRelease(version: string, config?: object): HookDeps {
      const packed = gzipSync(JSON.stringify({ chart: { metadata: { version } }, config })).toString('base64')
      const item = { metadata: { labels: { version: '1' } }, data: { release: Buffer.from(packed).toString('base64') } }
      const own = deps()
      const transport: HookDeps['access']['transport'] = () => async (request) => ({
        status: 200,
        json: { items: request.path.endsWith('/secrets') ? [item] : [] },
      })
      return { ...own, access: { ...own.access, transport } }
    }

    it.each([
      ['of its own app', 'https://func-a.azurewebsites.net', 'https://func-a.azurewebsites.net', 0],
      ['of another app', 'https://func-b.azurewebsites.net', 'https://func-a.azurewebsites.net', 1],
      ['of an app, where it has none yet', 'https://func-b.azurewebsites.net', undefined, 1],
      ['that nobody configured', undefined, 'https://func-a.azurewebsites.net', 0],
      ['of its own app in other words', 'https://Func-A.azurewebsites.net:443/', 'https://func-a.azurewebsites.net', 0],
      ['of an app that is no address', 'func-a', 'https://func-a.azurewebsites.net', 1],
      ['of its own app by another name', 'https://joiner.corp', 'https://func-a.azurewebsites.net', 0, 'https://joiner.corp/'],
      [
        'of its own app before that got another name',
        'https://func-a.azurewebsites.net',
        'https://func-a.azurewebsites.net',
        0,
        'https://b',
      ],
      ['of another app than it gets', 'https://func-b.azurewebsites.net', 'https://func-a.azurewebsites.net', 1, 'https://joiner.corp'],
    ])('with a chart %s in the cluster: %s, and its own app %s', async (_, endpoint, own, expected, set?: string) => {
      if (set !== undefined) world.values.set('JOINER_CHART_VALUES', JSON.stringify({ endpoint: set }))
      if (own !== undefined) world.values.set('JOINER_APP_ENDPOINT', own)
      expect(await runPreprovision(withRelease('0.0.1', { endpoint })), world.lines.join('\n')).toBe(expected)
      const said = `FAIL  PREFLIGHT.CHART   local: chart joiner in the cluster posts to the app ${endpoint}`
      expect(world.lines.some((line) => line.startsWith(said))).toBe(expected === 1)
    })

    it('fails where the cluster has a newer chart', async () => {
      expect(await runPreprovision(withRelease('99.0.0'))).toBe(1)
      expect(world.lines.join('\n')).toContain('FAIL  PREFLIGHT.CHART   local: chart joiner 99.0.0 is installed')
      expect(world.values.has('JOINER_CLUSTER_FACTS')).toBe(false)
    })
  })

  it('waits for the demo cluster where there is no other', async () => {
    world.values.set('JOINER_CLUSTER_IDS', '')
    world.values.set('JOINER_DEMO_CLUSTER', 'true')
    expect(await runPreprovision(world.deps())).toBe(0)
    // azd asks for a parameter without a value.
    expect(facts()).toEqual([])
    world.values.set('JOINER_DEMO_CLUSTER_ID', world.azure.clusterResourceId)
    expect(await runPreprovision(world.deps())).toBe(0)
    expect(facts()).toMatchObject([{ name: 'local' }])
  })

  it('needs no subscription for a demo cluster, since azd asks for it later', async () => {
    world.values.set('JOINER_CLUSTER_IDS', '')
    world.values.set('JOINER_DEMO_CLUSTER', 'true')
    world.values.set('AZURE_SUBSCRIPTION_ID', '')
    const deps = cutOff(world.deps())
    expect(await runPreprovision(deps), world.lines.join('\n')).toBe(0)
    expect(facts()).toEqual([])
    expect(world.lines.join('\n')).toContain('azd has not asked for the subscription yet')
    expect(world.azure.requests.all()).toEqual([])
  })

  it('gives an address that ARM does not tell, and what the user says above all', async () => {
    const cluster = world.azure.getResource(world.azure.clusterResourceId)
    world.azure.putResource({
      id: world.azure.clusterResourceId,
      ...cluster,
      kubeconfig: KUBECONFIG.replace('.invalid:443', '.invalid:6443'),
    })
    world.values.set('JOINER_CLUSTER_OVERRIDES', JSON.stringify({ local: { caBundle: 'b3duPQ==', additionalTags: { team: "ops's $1" } } }))
    await runPreprovision(world.deps())
    expect(facts()).toMatchObject([
      { overrides: { apiServer: 'https://local.hcp.eastus.invalid:6443', caBundle: 'b3duPQ==', additionalTags: { team: "ops's $1" } } },
    ])
  })

  it('names the zone of a private API server, that of AKS or another', async () => {
    world.values.set('JOINER_NETWORK', 'private')
    const host = { fqdn: undefined, privateFQDN: 'shop-abc123.00000000.privatelink.eastus.azmk8s.io' }
    change({ ...host, apiServerAccessProfile: { enablePrivateCluster: true, privateDNSZone: 'system' } })
    await runPreprovision(world.deps())
    const zones = `/subscriptions/${world.azure.subscriptionId}/resourceGroups/MC_local_demo_eastus/providers/Microsoft.Network/privateDnsZones`
    expect(facts()).toMatchObject([{ privateDnsZoneId: `${zones}/00000000.privatelink.eastus.azmk8s.io` }])
    change({ apiServerAccessProfile: { enablePrivateCluster: true, privateDNSZone: `${zones}/own.privatelink.eastus.azmk8s.io` } })
    await runPreprovision(world.deps())
    expect(facts()).toMatchObject([{ privateDnsZoneId: `${zones}/own.privatelink.eastus.azmk8s.io` }])
  })

  it('makes up one key for a cluster that was made without, and keeps it', async () => {
    change({ linuxProfile: undefined })
    await runPreprovision(world.deps())
    const first = world.values.get('JOINER_CLUSTER_FACTS')
    expect(facts()).toMatchObject([
      { overrides: { sshPublicKey: expect.stringMatching(/^ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[\w+/]{43} joiner$/) } },
    ])
    await runPreprovision(world.deps())
    expect(world.values.get('JOINER_CLUSTER_FACTS')).toBe(first)
  })

  it('comes to the same end when it dies before or after any of its calls and runs again', async () => {
    // The facts of the cluster are read once and reused. Each time that the hook asks for them still counts as a call.
    const known = await world.deps().access.facts(world.azure.clusterResourceId)
    const deps = (): HookDeps => ({ ...world.deps(), access: { ...world.deps().access, facts: async () => known } })
    const whole = cutOff(deps())
    await runPreprovision(whole)
    const end = new Map(world.values)
    expect(whole.calls().length).toBeGreaterThan(2)
    for (const [at] of whole.calls().entries())
      for (const side of ['before', 'after'] as const) {
        world.values.delete('JOINER_CLUSTER_FACTS')
        await expect(runPreprovision(cutOff(deps(), { at, side })), `${side} ${whole.calls()[at]}`).rejects.toThrow(Gone)
        expect(await runPreprovision(deps())).toBe(0)
        expect(world.values).toEqual(end)
      }
    const again = cutOff(deps())
    await runPreprovision(again)
    expect(again.calls()).not.toContain('azd env')
  })
})
