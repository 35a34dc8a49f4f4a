import planarium from "planarium-remark";

// React hydrates pages of both formats, so a demo is an element of JSX in both.
const demos = [planarium, { output: "mdx" }];

export default {
  title: "Rollouts",
  url: "http://127.0.0.1",
  baseUrl: "/",
  trailingSlash: false,
  onBrokenLinks: "throw",
  markdown: { format: "detect" },
  scripts: [{ src: "/planarium-embed.js", defer: true }],
  stylesheets: ["/planarium-embed.css"],
  presets: [["classic", { blog: false, docs: { routeBasePath: "/", sidebarPath: false, remarkPlugins: [demos] }, theme: {} }]],
  themeConfig: { colorMode: { defaultMode: "light" }, navbar: { title: "Rollouts" } },
};
