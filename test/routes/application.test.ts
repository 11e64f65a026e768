import { testArea } from './asked.ts'

testArea('application')
