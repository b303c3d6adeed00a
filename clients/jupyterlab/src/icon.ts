import { LabIcon } from "@jupyterlab/ui-components";

/** The icon: a cell, and a dashed cell with a plus. */
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16">
<g class="jp-icon3" fill="#616161"><path d="M2 2h12v4.5H2zM3.2 3.2v2.1h9.6V3.2z" fill-rule="evenodd"/>
<path d="M2 9.5h2.4v1.2H2zM5.6 9.5H8v1.2H5.6zM2 12.8h2.4V14H2zM5.6 12.8H8V14H5.6z"/><path d="M11 8.2h1.6v2.4H15v1.6h-2.4v2.4H11v-2.4H8.600v-1.6H11z"/></g></svg>`;

export const icon = new LabIcon({ name: "celrec:icon", svgstr: SVG });
