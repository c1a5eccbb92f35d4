import { ownValue } from '../../../shared/base/values.ts'

const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/
const DURATION = /^[+-]?(\d+(\.\d+)?(ns|us|µs|ms|s|m|h|d|w))+$|^0$/

const FORMATS: { readonly [format: string]: (value: string) => boolean } = {
  'date-time': (value) => DATE_TIME.test(value) && !Number.isNaN(Date.parse(value)),
  date: (value) => /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)),
  duration: (value) => DURATION.test(value),
  byte: (value) => /^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.length % 4 === 0,
  uuid: (value) => /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(value),
  ipv4: (value) => /^(\d{1,3}\.){3}\d{1,3}$/.test(value) && value.split('.').every((part) => Number(part) < 256),
  uri: (value) => URL.canParse(value),
  cidr: (value) => /^[0-9a-f.:]+\/\d{1,3}$/i.test(value),
}

/** Reports whether a text breaks its format. As on the real server, formats that are not enforced are never broken. */
export function formatProblem(format: string, value: string): boolean {
  const holds = ownValue(FORMATS, format)
  return holds !== undefined && !holds(value)
}
