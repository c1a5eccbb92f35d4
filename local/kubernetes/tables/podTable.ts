import { asText, at, type Json, listAt, objectAt, textAt } from '../object/json.ts'
import { isDeleting, type KubeObject, nameOf } from '../object/kubeObject.ts'
import { ageOf, objectAge } from './age.ts'
import { column, type TableLayout, wide } from './tableLayout.ts'

/** `kubectl get pods`. */
export const podTable: TableLayout = {
  columns: [
    column('Name'),
    column('Ready'),
    column('Status'),
    column('Restarts'),
    column('Age'),
    wide('IP'),
    wide('Node'),
    wide('Nominated Node'),
    wide('Readiness Gates'),
  ],
  row: (pod, now) => {
    const containers = listAt(pod, 'spec', 'containers')
    const statuses = listAt(pod, 'status', 'containerStatuses')
    const ready = statuses.filter((status) => at(status, 'ready') === true).length
    return [
      nameOf(pod),
      `${ready}/${containers.length}`,
      podReason(pod),
      restarts(statuses, now),
      objectAge(pod, now),
      textAt(pod, 'status', 'podIP') || '<none>',
      textAt(pod, 'spec', 'nodeName') || '<none>',
      textAt(pod, 'status', 'nominatedNodeName') || '<none>',
      gates(pod),
    ]
  },
}

function restarts(statuses: readonly Json[], now: number): string {
  const count = statuses.reduce((total: number, status) => total + Number(at(status, 'restartCount') ?? 0), 0)
  const last = statuses
    .map((status) => textAt(status, 'lastState', 'terminated', 'finishedAt'))
    .filter((time) => time !== '')
    .sort()
    .at(-1)
  return count > 0 && last !== undefined ? `${count} (${ageOf(last, now)} ago)` : String(count)
}

function gates(pod: KubeObject): string {
  const wanted = listAt(pod, 'spec', 'readinessGates')
  if (wanted.length === 0) return '<none>'
  const conditions = listAt(pod, 'status', 'conditions')
  const met = wanted.filter((gate) =>
    conditions.some((condition) => at(condition, 'type') === at(gate, 'conditionType') && at(condition, 'status') === 'True'),
  )
  return `${met.length}/${wanted.length}`
}

/** Returns the status that kubectl shows for a pod: the reason that holds it up, or its phase. */
function podReason(pod: KubeObject): string {
  const phase = textAt(pod, 'status', 'phase')
  const base = isGated(pod) ? 'SchedulingGated' : textAt(pod, 'status', 'reason') || phase
  const starting = initReason(pod)
  const reason = starting ?? containerReason(pod, base)
  if (!isDeleting(pod)) return reason
  if (textAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown'
  return phase === 'Succeeded' || phase === 'Failed' ? reason : 'Terminating'
}

function isGated(pod: KubeObject): boolean {
  return listAt(pod, 'status', 'conditions').some(
    (condition) => at(condition, 'type') === 'PodScheduled' && at(condition, 'reason') === 'SchedulingGated',
  )
}

function initReason(pod: KubeObject): string | undefined {
  const specs = listAt(pod, 'spec', 'initContainers')
  const statuses = listAt(pod, 'status', 'initContainerStatuses')
  for (const [index, status] of statuses.entries()) {
    const state = objectAt(status, 'state')
    const terminated = objectAt(state, 'terminated')
    const restartable = specs.some((spec) => at(spec, 'name') === at(status, 'name') && at(spec, 'restartPolicy') === 'Always')
    if (state['terminated'] !== undefined && terminated['exitCode'] === 0) continue
    if (restartable && at(status, 'started') === true) continue
    if (state['terminated'] !== undefined) return `Init:${textAt(terminated, 'reason') || `ExitCode:${asText(terminated['exitCode'])}`}`
    const waiting = textAt(state, 'waiting', 'reason')
    return waiting !== '' && waiting !== 'PodInitializing' ? `Init:${waiting}` : `Init:${index}/${specs.length}`
  }
  return undefined
}

function containerReason(pod: KubeObject, base: string): string {
  let reason = base
  let running = false
  for (const status of listAt(pod, 'status', 'containerStatuses').toReversed()) {
    const waiting = textAt(status, 'state', 'waiting', 'reason')
    const terminated = objectAt(status, 'state', 'terminated')
    if (waiting !== '') reason = waiting
    else if (textAt(terminated, 'reason') !== '') reason = textAt(terminated, 'reason')
    else if (terminated['exitCode'] !== undefined) reason = `ExitCode:${asText(terminated['exitCode'])}`
    else if (at(status, 'ready') === true && at(status, 'state', 'running') !== undefined) running = true
  }
  if (reason !== 'Completed' || !running) return reason
  const ready = listAt(pod, 'status', 'conditions').some((item) => at(item, 'type') === 'Ready' && at(item, 'status') === 'True')
  return ready ? 'Running' : 'NotReady'
}
