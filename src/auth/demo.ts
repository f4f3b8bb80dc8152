/** The workspace that a first start fills with examples. Fixed, so that pages and commands can name it beforehand. */
export const DEMO_WORKSPACE_ID = 'wsp_00000000000000000000000000';
