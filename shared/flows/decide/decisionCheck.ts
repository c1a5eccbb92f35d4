import { canonicalJson } from '../../base/canonicalJson.ts'
import { decide } from '../../engine/loadedCluster.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import type { Decision } from '../../model/decision.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import type { ClusterReader } from '../state/catchUp.ts'

/** For debugging: compares decisions of a cluster that stays loaded with decisions made from scratch. */
export interface DecisionCheck {
  /** Takes note of a decision. `snapshot` is called only if this decision is to be compared. */
  note(decision: Decision, snapshot: () => ClusterSnapshot): void
  /** Compares the decision noted last. Called after the reconcile. If the two decisions differ, the reader forgets the loaded cluster. */
  run(deps: Pick<ClusterDeps, 'cluster' | 'telemetry'>, reader: ClusterReader): void
}

/** Compares one of every `every` decisions, or none if `every` is 0. */
export function createDecisionCheck(every: number): DecisionCheck {
  let made = 0
  let noted: { readonly decision: Decision; readonly snapshot: ClusterSnapshot } | undefined
  return {
    note(decision, snapshot) {
      made++
      if (every > 0 && made % every === 0) noted = { decision, snapshot: snapshot() }
    },
    run({ cluster, telemetry }, reader) {
      if (noted === undefined) return
      const { decision, snapshot } = noted
      noted = undefined
      const afresh = decide(snapshot)
      const fields = { cluster, decision: snapshot.decision }
      if (canonicalJson(afresh) === canonicalJson(decision))
        return telemetry.info('a decision was made again from scratch: the same', fields)
      telemetry.error('a decision of the loaded cluster differs from one made from scratch: the cluster is loaded anew', {
        ...fields,
        kept: canonicalJson(decision),
        afresh: canonicalJson(afresh),
      })
      reader.forget()
    },
  }
}
