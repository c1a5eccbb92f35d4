import { ownValue } from '../../../shared/base/values.ts'
import { type JsonObject, listAt, objectAt } from '../object/json.ts'

/** Returns the quality-of-service class of a pod, from the CPU and memory of its containers. */
export function qosClassOf(spec: JsonObject): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')]
  let some = false
  let exact = true
  for (const container of containers) {
    const requests = objectAt(container, 'resources', 'requests')
    const limits = objectAt(container, 'resources', 'limits')
    for (const name of ['cpu', 'memory']) {
      if (ownValue(requests, name) !== undefined || ownValue(limits, name) !== undefined) some = true
      if (ownValue(limits, name) === undefined || ownValue(requests, name) !== ownValue(limits, name)) exact = false
    }
  }
  return !some ? 'BestEffort' : exact ? 'Guaranteed' : 'Burstable'
}
