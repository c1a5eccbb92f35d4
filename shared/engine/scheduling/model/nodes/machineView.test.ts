import { describe, expect, it } from 'vitest'
import { node } from '../../../../../test/builders/node.ts'
import { NOBODY_LEAVES, stateNodeOf } from '../../../cluster/stateNode.ts'
import { machineViewer } from './existingNode.ts'

function machine(name: string, labels: { readonly [key: string]: string } = {}) {
  return stateNodeOf(node({ name, meta: { labels } }), undefined, [], NOBODY_LEAVES)
}

describe('a machine viewer', () => {
  it('gives machines that differ in nothing but their names one kind', () => {
    const viewer = machineViewer()
    expect(viewer.view(machine('one')).kind).toBe(viewer.view(machine('other')).kind)
    expect(viewer.view(machine('one', { team: 'a' })).kind).not.toBe(viewer.view(machine('other', { team: 'b' })).kind)
  })

  it('remembers no more kinds than there are machines, however many come and go', () => {
    const viewer = machineViewer()
    for (let index = 0; index < 1_000; index++) {
      const view = viewer.view(machine('one', { unique: `${index}` }))
      expect(viewer.kinds).toBe(1)
      viewer.forget(view)
    }
    expect(viewer.kinds).toBe(0)
  })

  it('keeps a kind until the last of its machines is gone', () => {
    const viewer = machineViewer()
    const [one, other] = [viewer.view(machine('one')), viewer.view(machine('other'))]
    viewer.forget(one)
    expect(viewer.view(machine('third')).kind).toBe(other.kind)
  })

  it('takes no notice of what another viewer saw', () => {
    const viewer = machineViewer()
    const seen = machineViewer().view(machine('one'))
    viewer.view(machine('one'))
    viewer.forget(seen)
    expect(viewer.kinds).toBe(1)
  })
})
