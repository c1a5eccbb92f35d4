import Counter from 'prom-client/lib/counter.js'
import Gauge from 'prom-client/lib/gauge.js'
import Histogram from 'prom-client/lib/histogram.js'
import Registry from 'prom-client/lib/registry.js'

export type ShimMetrics = ReturnType<typeof createMetrics>

const LATENCY_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Creates all metrics that `/metrics` shows. docs/operations.md names each. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name: `joiner_shim_${name}`, help, labelNames, registers })
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `joiner_shim_${name}`, help, labelNames, registers })
  const histogram = (name: string, help: string) =>
    new Histogram({ name: `joiner_shim_${name}`, help, buckets: LATENCY_SECONDS, registers })

  // prom-client's default metrics would add a garbage collection observer and a dozen series that are of no use here
  const memory: Gauge = new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'resident memory of the shim',
    registers,
    collect: (): void => memory.set(process.memoryUsage.rss()),
  })
  return {
    text: () => registry.metrics(),
    contentType: registry.contentType,
    watchEvents: counter('watch_events_total', 'lines that watches brought', ['kind']),
    lists: counter('lists_total', 'lists asked for', ['kind', 'because']),
    watchBreaks: counter('watch_breaks_total', 'watches that ended out of order', ['kind']),
    changesSent: counter('changes_sent_total', 'changes the app took', ['body']),
    batches: counter('batches_total', 'envelopes the app took', ['body']),
    bytes: counter('posted_bytes_total', 'gzip bytes the app took'),
    retries: counter('post_retries_total', 'posts that failed and are tried again'),
    rejects: counter('rejected_changes_total', 'changes the app would not take'),
    snapshots: counter('snapshots_total', 'complete snapshots sent'),
    overflows: counter('outbox_overflows_total', 'times the unsent changes were dropped for a snapshot'),
    postSeconds: histogram('post_seconds', 'one post, from start to answer'),
    lagSeconds: histogram('lag_seconds', 'from a change seen to the change taken by the app'),
    nodeEvents: counter('node_events_total', 'scheduled events of this machine that Event Grid took', ['type']),
    leader: gauge('leader', '1 while this replica leads'),
    objects: gauge('objects', 'objects known'),
    unsent: gauge('unsent_changes', 'changes that wait to be posted'),
    pendingPods: gauge('pending_pods', 'pods that kube-scheduler has marked unschedulable, sent again until that changes'),
    kindState: gauge('kind_watched', '1 watched, 0 not served or not readable', ['kind']),
    eventLoopLag: gauge('event_loop_lag_seconds', 'longest delay of a timer within the last ten seconds'),
  }
}

export type Sizes = { readonly unsent: number; readonly objects: number; readonly pendingPods: number }

/** Sets the gauges of sizes. Called whenever one of the sizes may have changed. */
export function noteSizes(metrics: ShimMetrics, { unsent, objects, pendingPods }: Sizes): void {
  metrics.unsent.set(unsent)
  metrics.objects.set(objects)
  metrics.pendingPods.set(pendingPods)
}
