import { describe, expect, it } from 'vitest'
import type { Json } from '../object/json.ts'
import { defaultPodSpec } from './podDefaults.ts'

const containerOf = (container: Json): unknown => [defaultPodSpec({ containers: [container] })['containers']].flat()[0]
const volumeOf = (volume: Json): unknown => [defaultPodSpec({ volumes: [volume] })['volumes']].flat()[0]

describe('a pod gets', () => {
  it('the defaults of its spec, and keeps what it says itself', () => {
    const defaults = {
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      schedulerName: 'default-scheduler',
    }
    expect(defaultPodSpec({})).toEqual(defaults)
    expect(defaultPodSpec({ restartPolicy: 'Never', nodeName: null })).toEqual({ ...defaults, restartPolicy: 'Never' })
  })

  it.each([['serviceAccountName'], ['serviceAccount']])('both names of its service account from %s', (member) => {
    expect(defaultPodSpec({ [member]: 'shim' })).toMatchObject({ serviceAccountName: 'shim', serviceAccount: 'shim' })
  })

  it.each([
    ['nginx', 'Always'],
    ['nginx:latest', 'Always'],
    ['localhost:5000/nginx', 'Always'],
    ['nginx:1.29', 'IfNotPresent'],
    ['nginx@sha256:0000', 'IfNotPresent'],
  ])('the image %s pulled %s', (image, imagePullPolicy) => {
    expect(containerOf({ name: 'c', image })).toMatchObject({ imagePullPolicy })
    expect(containerOf({ name: 'c', image, imagePullPolicy: 'Never' })).toMatchObject({ imagePullPolicy: 'Never' })
  })

  it('the defaults of its containers, its init containers too', () => {
    const container = { name: 'c', image: 'a:1', ports: [{ containerPort: 80 }, { containerPort: 53, protocol: 'UDP' }] }
    const want = {
      name: 'c',
      image: 'a:1',
      imagePullPolicy: 'IfNotPresent',
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      resources: {},
      ports: [
        { protocol: 'TCP', containerPort: 80 },
        { protocol: 'UDP', containerPort: 53 },
      ],
    }
    expect(defaultPodSpec({ containers: [container], initContainers: [container] })).toMatchObject({
      containers: [want],
      initContainers: [want],
    })
  })

  it('a request where it has a limit only, and its quantities as texts', () => {
    expect(containerOf({ name: 'c', resources: { limits: { cpu: 2, memory: '1Gi' }, requests: { cpu: '100m' } } })).toMatchObject({
      resources: { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '100m', memory: '1Gi' } },
    })
    expect(containerOf({ name: 'c', resources: { requests: { cpu: 1 } } })).toHaveProperty('resources', { requests: { cpu: '1' } })
  })

  it.each(['livenessProbe', 'readinessProbe', 'startupProbe'])('the times of its %s', (probe) => {
    const times = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }
    expect(containerOf({ name: 'c', [probe]: { periodSeconds: 5, httpGet: { port: 80 } } })).toMatchObject({
      [probe]: { ...times, periodSeconds: 5, httpGet: { port: 80, path: '/', scheme: 'HTTP' } },
    })
    expect(containerOf({ name: 'c', [probe]: { exec: {} } })).toHaveProperty(probe, { ...times, exec: {} })
  })

  const volumes: readonly (readonly [Json, Json])[] = [
    [{ name: 'v' }, { name: 'v', emptyDir: {} }],
    [
      { name: 'v', configMap: { name: 'm' } },
      { name: 'v', configMap: { defaultMode: 420, name: 'm' } },
    ],
    [
      { name: 'v', secret: { defaultMode: 256 } },
      { name: 'v', secret: { defaultMode: 256 } },
    ],
    [
      { name: 'v', projected: {} },
      { name: 'v', projected: { defaultMode: 420 } },
    ],
    [
      { name: 'v', downwardAPI: {} },
      { name: 'v', downwardAPI: { defaultMode: 420 } },
    ],
    [
      { name: 'v', hostPath: { path: '/a' } },
      { name: 'v', hostPath: { type: '', path: '/a' } },
    ],
    [
      { name: 'v', persistentVolumeClaim: { claimName: 'c' } },
      { name: 'v', persistentVolumeClaim: { claimName: 'c' } },
    ],
    ['nonsense', 'nonsense'],
  ]
  it.each(volumes)('of the volume %j %j', (given, want) => expect(volumeOf(given)).toEqual(want))
})
