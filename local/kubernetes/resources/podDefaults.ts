import { ownValue, setOwnValue } from '../../../shared/base/values.ts'
import { asText, isObject, type Json, type JsonObject, listAt, objectAt, textAt } from '../object/json.ts'

/** Adds the defaults of Kubernetes to the spec of a pod or template, so that clients see the same fields as on a real cluster. */
export function defaultPodSpec(spec: JsonObject): JsonObject {
  return {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    ...withoutNulls(spec),
    ...(spec['containers'] === undefined ? {} : { containers: listAt(spec, 'containers').map(defaultContainer) }),
    ...(spec['initContainers'] === undefined ? {} : { initContainers: listAt(spec, 'initContainers').map(defaultContainer) }),
    ...(spec['volumes'] === undefined ? {} : { volumes: listAt(spec, 'volumes').map(defaultVolume) }),
    ...serviceAccount(spec),
  }
}

function serviceAccount(spec: JsonObject): JsonObject {
  const name = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount')
  return name === '' ? {} : { serviceAccountName: name, serviceAccount: name }
}

function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))
}

function defaultContainer(container: Json): Json {
  if (!isObject(container)) return container
  const image = textAt(container, 'image')
  const ports = container['ports'] === undefined ? {} : { ports: listAt(container, 'ports').map(defaultPort) }
  return {
    imagePullPolicy: pullsAlways(image) ? 'Always' : 'IfNotPresent',
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    ...withoutNulls(container),
    ...ports,
    ...probes(container),
    resources: defaultResources(objectAt(container, 'resources')),
  }
}

function pullsAlways(image: string): boolean {
  if (image.includes('@')) return false
  const last = image.slice(image.lastIndexOf('/') + 1)
  return !last.includes(':') || last.endsWith(':latest')
}

function defaultPort(port: Json): Json {
  return isObject(port) ? { protocol: 'TCP', ...port } : port
}

function probes(container: JsonObject): JsonObject {
  const found: Record<string, Json> = {}
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = ownValue(container, name)
    if (!isObject(probe)) continue
    const http = isObject(probe['httpGet']) ? { httpGet: { path: '/', scheme: 'HTTP', ...probe['httpGet'] } } : {}
    setOwnValue(found, name, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3, ...probe, ...http })
  }
  return found
}

/** A limit without a request is also a request. */
function defaultResources(resources: JsonObject): JsonObject {
  const limits = quantities(resources, 'limits')
  const requests = { ...limits, ...quantities(resources, 'requests') }
  return { ...resources, ...(isObject(resources['limits']) ? { limits } : {}), ...(Object.keys(requests).length > 0 ? { requests } : {}) }
}

/** A quantity written as a number is kept as a string. */
function quantities(resources: JsonObject, member: string): JsonObject {
  return Object.fromEntries(Object.entries(objectAt(resources, member)).map(([name, value]) => [name, asText(value)]))
}

const SOURCE_DEFAULTS: { readonly [source: string]: JsonObject } = {
  configMap: { defaultMode: 420 },
  secret: { defaultMode: 420 },
  projected: { defaultMode: 420 },
  downwardAPI: { defaultMode: 420 },
  hostPath: { type: '' },
}

function defaultVolume(volume: Json): Json {
  if (!isObject(volume)) return volume
  for (const [source, defaults] of Object.entries(SOURCE_DEFAULTS)) {
    const found = ownValue(volume, source)
    if (isObject(found)) return { ...volume, [source]: { ...defaults, ...found } }
  }
  return Object.keys(volume).length === 1 ? { ...volume, emptyDir: {} } : volume
}
