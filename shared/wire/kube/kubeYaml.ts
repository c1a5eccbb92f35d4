/**
 * Options for reading and writing YAML as kubectl, Helm and the API server do. They follow YAML 1.1: `N`, `no` and `off` are false, and `0777` is an octal number.
 * Times and numbers of base 60 (`1:30`) stay strings, since Go's library does not read them.
 */
export const KUBE_YAML = {
  version: '1.1',
  customTags: <Tag extends object | string>(tags: Tag[]): Tag[] => tags.filter((tag) => !isUnknownToGo(tag)),
} as const

const TIMESTAMP = 'tag:yaml.org,2002:timestamp'
const BASE_60 = 'TIME'

function isUnknownToGo(tag: object | string): boolean {
  if (typeof tag === 'string') return tag === 'timestamp' || tag === 'intTime' || tag === 'floatTime'
  return ('tag' in tag && tag.tag === TIMESTAMP) || ('format' in tag && tag.format === BASE_60)
}
