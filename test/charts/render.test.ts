import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { parseConfig } from '../../shim/config.ts'
import { CHART, CRD_CHART, HELM, helm, render, WITHOUT_HELM } from './helm.ts'
import { type Container, type Manifest, nameOf, podSpecOf } from './manifest.ts'
import { podTroubles } from './podSecurity.ts'
import { grantedTo } from './rights.ts'
import { APP_OBJECT_ID, REQUIRED, VALUE_SETS } from './valueSets.ts'

const STANDARD_LABELS = [
  'app.kubernetes.io/name',
  'app.kubernetes.io/instance',
  'app.kubernetes.io/component',
  'app.kubernetes.io/version',
  'app.kubernetes.io/managed-by',
  'app.kubernetes.io/part-of',
  'helm.sh/chart',
]
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
const CLUSTER_SCOPED = /^(ClusterRole|ClusterRoleBinding|ValidatingAdmissionPolicy|ValidatingAdmissionPolicyBinding)$/

describe.skipIf(HELM === undefined)(`the chart joiner${WITHOUT_HELM}`, { timeout: 60_000 }, () => {
  for (const [sentence, { values, ...options }] of Object.entries(VALUE_SETS)) {
    it(`with ${sentence}, keeps what must stay true of every object`, async () => {
      const objects = await render(values, options)
      expect(objects.flatMap(troublesOf)).toEqual([])
      const names = objects.map((object) => `${nameOf(object)} in ${object.metadata.namespace ?? 'the cluster'}`)
      expect(new Set(names).size).toBe(names.length)
      for (const object of objects) {
        if (CLUSTER_SCOPED.test(object.kind)) expect(object.metadata.namespace).toBeUndefined()
        else expect(object.metadata.namespace).toMatch(/^(joiner|kube-system)$/)
      }
      expect((await helm(['lint', CHART, '--strict', '--quiet'], values)).errors).toBe('')
    })

    it(`with ${sentence}, gives the shim settings it takes`, async () => {
      for (const container of containersOf(await render(values, options))) {
        if (!container.env?.some(({ name }) => name === 'MODE')) continue
        const config = parseConfig({ ...envOf(container), ...WEBHOOK })
        expect(config.ok ? [] : config.error).toEqual([])
        if (!config.ok || config.value.mode !== 'forwarder') continue
        expect({ isServiceAccount: config.value.tokenFile !== undefined }).toEqual({ isServiceAccount: values['shimAuth'] !== 'entra' })
      }
    })
  }

  it('starts the program as the image does', async () => {
    const dockerfile = readFileSync(join(repositoryRoot, 'shim/Dockerfile'), 'utf8')
    const command: unknown = JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]')
    const programs = containersOf(await render(REQUIRED)).filter(({ name }) => name !== 'test')
    expect(programs.map(({ args, resources }) => [args, resources?.limits])).toEqual([
      [command, { memory: '128Mi' }],
      [command, { memory: '128Mi' }],
    ])
  })

  it('passes numbers on as they are', async () => {
    const objects = await render(VALUE_SETS['every setting of the shim']?.values ?? {})
    const all = Object.assign({}, ...containersOf(objects).map(envOf)) as { readonly [name: string]: string }
    expect(all).toMatchObject({ BATCH_MAX_BYTES: '1048576', UNSENT_MAX_BYTES: '33554432', IMDS_POLL_MS: '500', HTTP_PORT: '9090' })
  })

  it.each([
    ['only what is required', []],
    ['a Prometheus operator is there', ['PodMonitor joiner']],
    ["Azure's managed Prometheus", ['PodMonitor joiner']],
    ['a Prometheus operator that takes ServiceMonitors', ['Service joiner-spot', 'ServiceMonitor joiner']],
    ["ServiceMonitors of Azure's managed Prometheus, and no spot nodes", ['ServiceMonitor joiner']],
  ])('with %s, makes what finds the metrics: %j', async (sentence, want) => {
    const { values = {}, ...options } = VALUE_SETS[sentence] ?? {}
    const names = (await render(values, options)).map(nameOf)
    expect(names.filter((name) => /Monitor |^Service joiner-spot$/.test(name)).sort()).toEqual(want)
  })

  it('has a ServiceMonitor that finds the pods of its Services', async () => {
    const { values = {}, ...options } = VALUE_SETS['a Prometheus operator that takes ServiceMonitors'] ?? {}
    const objects = await render(values, options)
    const componentOf = ({ metadata }: Manifest) => metadata.labels?.['app.kubernetes.io/component']
    const services = objects.filter(({ kind }) => kind === 'Service')
    expect(services.map(componentOf).sort()).toEqual(['shim', 'spot'])
    expect(objects.find(({ kind }) => kind === 'ServiceMonitor')?.spec).toMatchObject({
      selector: { matchExpressions: [{ key: 'app.kubernetes.io/component', operator: 'In', values: ['shim', 'spot'] }] },
      endpoints: [{ port: 'http', path: '/metrics' }],
    })
  })

  it('names the app in lower case, as the API server does, however it is given', async () => {
    const objects = await render(VALUE_SETS['an object id in upper case']?.values ?? {})
    expect(JSON.stringify(objects)).not.toContain(APP_OBJECT_ID.toUpperCase())
    expect(grantedTo(APP_OBJECT_ID, objects)).toEqual(grantedTo(APP_OBJECT_ID, await render(REQUIRED)))
    expect(JSON.stringify(objects.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy'))).toContain(APP_OBJECT_ID)
  })

  const IDENTITY = 'azure.workload.identity'
  it.each([
    ['only what is required', false, 3600],
    ['a token that lives for a day, and a function key', false, 86_400],
    ['a token of Entra for the forwarder', true, undefined],
    ['a token of Entra and a function key', true, undefined],
  ])('with %s, gives the forwarder a token of Entra: %j, or of its service account, for %j seconds', async (sentence, isEntra, seconds) => {
    const objects = await render(VALUE_SETS[sentence]?.values ?? {})
    const find = (kind: string, name: string) => objects.find((object) => object.kind === kind && object.metadata.name === name)
    const deployment = find('Deployment', 'joiner-shim')
    expect(JSON.stringify([deployment, find('ServiceAccount', 'joiner-shim')]).includes(IDENTITY)).toBe(isEntra)
    const env = Object.assign({}, ...containersOf(deployment ? [deployment] : []).map(envOf)) as { readonly [name: string]: string }
    const mounted = projectedTokens(deployment)
    expect(mounted).toEqual(
      seconds === undefined ? [] : [{ audience: 'api://joiner', expirationSeconds: seconds, file: env['JOINER_TOKEN_FILE'] }],
    )
    expect('JOINER_AUDIENCE' in env).toBe(isEntra)
    // The watcher on spot nodes sends to Event Grid, which accepts only Entra tokens.
    expect(find('DaemonSet', 'joiner-spot')?.spec?.template?.metadata?.labels).toMatchObject({ [`${IDENTITY}/use`]: 'true' })
    expect(find('ServiceAccount', 'joiner-spot')?.metadata.annotations).toHaveProperty([`${IDENTITY}/client-id`])
  })

  it('keeps two long names apart', async () => {
    const names = await Promise.all(
      ['a', 'b'].map(async (end) => (await render({ ...REQUIRED, fullnameOverride: 'x'.repeat(60) + end })).map(nameOf)),
    )
    expect(names[0]).not.toEqual(names[1])
  })

  const refused: { readonly [sentence: string]: { readonly values: object; readonly want: string } } = {
    'no cluster': { values: { cluster: '' }, want: "cluster is required: the cluster's id" },
    'no app': { values: { app: { objectId: '' } }, want: 'app.objectId is required' },
    'no topic for spot nodes': { values: { spot: { topicEndpoint: '' } }, want: 'set spot.enabled to false' },
    'no identity for spot nodes': { values: { identity: {} }, want: 'spot.clientId or identity.clientId is required' },
    'no identity for a token of Entra': {
      values: { shimAuth: 'entra', identity: {}, spot: { enabled: false } },
      want: 'identity.clientId is required',
    },
    'a way to be let in that is none': { values: { shimAuth: 'key' }, want: "at '/shimAuth'" },
    'a token that the API server would not make': { values: { tokenExpirationSeconds: 599 }, want: 'minimum: got 599, want 600' },
    'a token that the app would not take': { values: { tokenExpirationSeconds: 86_401 }, want: 'maximum: got 86,401, want 86,400' },
    'a cluster id that is none': { values: { cluster: 'Not_An_Id' }, want: "at '/cluster'" },
    'a prefix of machines that AKS uses': {
      values: { machinePrefix: 'aks-' },
      want: 'machinePrefix is "aks-": it begins with a letter, not with aks-, has 2 to 16 lower case letters',
    },
    'a prefix of machines that could break out of a rule': { values: { machinePrefix: "x' || '-" }, want: 'it begins with a letter' },
    'plain http': { values: { endpoint: 'http://app.example.com' }, want: "at '/endpoint'" },
    'an object id that could break out of a rule': { values: { app: { objectId: "x' || true || '" } }, want: "at '/app/objectId'" },
    'an unknown key': { values: { replicas: 3 }, want: "additional properties 'replicas' not allowed" },
    'an unknown key further in': { values: { shim: { replica: 3 } }, want: "additional properties 'replica' not allowed" },
    'a setting of the other mode': { values: { shim: { settings: { imdsPollMs: 100 } } }, want: "'imdsPollMs' not allowed" },
    'a setting out of bounds': { values: { shim: { settings: { batchWindowMs: 99_999 } } }, want: 'maximum: got 99,999, want 10,000' },
    'a word where a number belongs': { values: { shim: { replicas: 'two' } }, want: 'got string, want integer' },
  }
  for (const [sentence, { values, want }] of Object.entries(refused)) {
    it(`refuses ${sentence}`, async () => {
      const outcome = await helm(['template', 'joiner', CHART], { ...REQUIRED, ...values })
      expect(outcome.code).not.toBe(0)
      expect(outcome.errors).toContain(want)
    })
  }

  it('and joiner-crd lint and have one version', async () => {
    expect(await helm(['lint', CRD_CHART])).toMatchObject({ code: 0 })
    const versionOf = (chart: string) => /^version: .*$/m.exec(readFileSync(join(chart, 'Chart.yaml'), 'utf8'))?.[0]
    expect(versionOf(CHART)).toBe(versionOf(CRD_CHART))
  })
})

/** The environment variables that the workload identity webhook adds to a pod. */
const WEBHOOK = { AZURE_CLIENT_ID: 'id', AZURE_TENANT_ID: 'tenant', AZURE_FEDERATED_TOKEN_FILE: '/var/run/token' }

function envOf({ env = [] }: Container): { readonly [name: string]: string } {
  // The key file exists only in a pod.
  const told = env.filter(({ name }) => name !== 'JOINER_FUNCTION_KEY_FILE')
  return Object.fromEntries(told.map(({ name, value }) => [name, value ?? 'from-the-pod']))
}

/** The projected service account tokens of a workload, with the path of each in its container. */
function projectedTokens(object: Manifest | undefined): readonly object[] {
  const { volumes = [], containers = [] } = (object && podSpecOf(object)) ?? {}
  return volumes.flatMap(({ name, projected }) => {
    const { sources } = (projected ?? { sources: [] }) as { readonly sources: readonly { readonly serviceAccountToken?: TokenSource }[] }
    const mount = containers.flatMap(({ volumeMounts = [] }) => volumeMounts).find((each) => each.name === name)
    return sources.flatMap(({ serviceAccountToken: made }) => {
      if (made === undefined) return []
      const { path, ...rest } = made
      return [{ ...rest, file: `${mount?.mountPath}/${path}` }]
    })
  })
}

type TokenSource = { readonly audience: string; readonly expirationSeconds: number; readonly path: string }

function containersOf(objects: readonly Manifest[]): readonly Container[] {
  return objects.flatMap((object) => podSpecOf(object)?.containers ?? [])
}

function troublesOf(object: Manifest): readonly string[] {
  const { name, labels = {} } = object.metadata
  const pod = podSpecOf(object)
  return [
    ...STANDARD_LABELS.filter((label) => !labels[label]).map((label) => `lacks the label ${label}`),
    ...Object.entries(labels)
      .filter(([, value]) => value.length > 63)
      .map(([label]) => `its label ${label} is too long`),
    ...(LABEL.test(name) ? [] : ['its name is too long or no name']),
    ...(pod === undefined ? [] : podTroubles(pod)),
  ].map((trouble) => `${nameOf(object)}: ${trouble}`)
}
