import { describe, expect, it } from 'vitest'
import { type DriverNeed, driverPin } from './driverPins.ts'

const image = (version: string) => `/CommunityGalleries/AKSUbuntu/images/2404gen2containerd/versions/${version}`
const tagOf = (need: DriverNeed, version: string) => {
  const found = driverPin(need, image(version))
  return found && `${found.kind}:${found.version}-${found.imageSuffix}`
}

describe('the driver of a GPU node', () => {
  it.each<[DriverNeed, string, string | undefined]>([
    ['cuda', '202608.21.0', 'cuda-lts:580.159.04-20260629214430'],
    ['cuda', '202607.02.0', 'cuda-lts:580.159.04-20260629214430'],
    ['cuda', '202607.01.0', 'cuda:580.126.09-20260126030251'],
    ['cuda', '202602.05.1', 'cuda:580.105.08-20260108183250'],
    ['cuda', '202601.10.0', 'cuda:580.95.05-20260108182831'],
    ['cuda', '202511.03.0', 'cuda:580.95.05-20251021155213'],
    ['cuda', '202510.28.0', undefined],
    ['grid', '202605.28.0', 'grid:570.211.01-20260522192315'],
    ['grid', '202605.27.0', 'grid:550.144.06-20260126030228'],
    ['grid-v20', '202606.12.0', 'grid-v20:595.58.03-20260609172331'],
    ['grid-v20', '202606.11.0', undefined],
    ['cuda', '203001.01.0', 'cuda-lts:580.159.04-20260629214430'],
    ['cuda', 'latest', 'cuda-lts:580.159.04-20260629214430'],
    ['grid', '1.2.3', 'grid:570.211.01-20260522192315'],
  ])('%s on image %s is %s', (need, version, want) => {
    expect(tagOf(need, version)).toBe(want)
  })

  it('changes only from one day to a later one', () => {
    const days = Array.from({ length: 400 }, (_, at) => new Date(Date.UTC(2025, 9, 29) + at * 86_400_000).toISOString())
    const tags = days.map((day) => tagOf('cuda', `${day.slice(0, 4)}${day.slice(5, 7)}.${day.slice(8, 10)}.0`))
    expect(tags).not.toContain(undefined)
    expect([...new Set(tags)].map((tag) => tags.lastIndexOf(tag) - tags.indexOf(tag) + 1)).toEqual(
      [...new Set(tags)].map((tag) => tags.filter((other) => other === tag).length),
    )
  })
})
