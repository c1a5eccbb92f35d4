import { describe, expect, it } from 'vitest'
import { statusOf } from '../../../test/builders/decided.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import type { ClusterSnapshot } from '../../model/clusterSnapshot.ts'
import { nodeClassName } from '../../model/ids.ts'
import type { NodeVersions } from '../../model/node.ts'
import type { NodeClass, NodeImage } from '../../model/nodeClass.ts'
import { withStatus } from './decideStatus.ts'

const imageOf = (id: string): NodeImage => ({ id, requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }] })
const [OLD, NEW] = [imageOf('/images/old'), imageOf('/images/new')] as const
const none = { conditions: [], images: [] }

function seen(status: Partial<NodeClass['status']>, versions: NodeVersions | undefined): ClusterSnapshot {
  const of = nodeClass()
  const nodeVersions = versions === undefined ? {} : { nodeVersions: new Map([[nodeClassName('default'), versions]]) }
  return snapshot({
    ...nodeVersions,
    objects: { nodeClass: [{ ...of, status: { conditions: of.status.conditions, images: [], localDnsState: 'Disabled', ...status } }] },
  })
}

/** The version and image ids that the decision writes into the status of the class. Undefined if it does not write the status. */
function written(status: Partial<NodeClass['status']>, versions?: NodeVersions): unknown {
  const before = seen(status, versions)
  const patch = statusOf(before).actions.find(({ kind }) => kind === 'patchNodeClassStatus')
  if (patch?.kind !== 'patchNodeClassStatus') return undefined
  return [patch.kubernetesVersion, patch.images?.map(({ id }) => id)]
}

describe('the status of an AKSNodeClass', () => {
  it('names the version and the images of new nodes, and is not written again', () => {
    const before = seen(none, { kubernetesVersion: '1.34.2', images: [NEW] })
    const first = statusOf(before)
    expect(first.actions).toContainEqual(
      expect.objectContaining({ kind: 'patchNodeClassStatus', kubernetesVersion: '1.34.2', images: [NEW] }),
    )
    const second = withStatus(before, first)
    expect(second.objects.nodeClass[0]?.status).toMatchObject({ kubernetesVersion: '1.34.2', images: [NEW] })
    expect(statusOf(second).actions.filter(({ kind }) => kind === 'patchNodeClassStatus')).toEqual([])
  })

  const current = { kubernetesVersion: '1.34.2', images: [OLD] }
  it.each<readonly [string, NodeVersions | undefined, unknown]>([
    ['stays while nothing is known', undefined, undefined],
    ['stays while neither version nor image is known', {}, undefined],
    ['stays where Azure knows no image', { images: [] }, undefined],
    ['stays where both are the same', { kubernetesVersion: '1.34.2', images: [OLD] }, undefined],
    ['follows a newer version', { kubernetesVersion: '1.34.10' }, ['1.34.10', undefined]],
    ['does not follow a lower version', { kubernetesVersion: '1.33.9' }, undefined],
    ['follows a lower version that an operator set', { kubernetesVersion: '1.33.9', isVersionSet: true }, ['1.33.9', undefined]],
    ['follows other images, and keeps the version', { images: [NEW] }, [undefined, ['/images/new']]],
  ])('%s', (_, versions, want) => expect(written(current, versions)).toEqual(want))
})
