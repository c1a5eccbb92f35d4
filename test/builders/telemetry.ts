import type { Telemetry } from '../../shared/ports/telemetry.ts'

/** For tests that do not look at what is said. */
export const SILENT: Telemetry = { debug() {}, info() {}, warn() {}, error() {}, measure() {}, event() {}, span() {} }
