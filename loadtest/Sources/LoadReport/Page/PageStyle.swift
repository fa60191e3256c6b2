/// The style sheet of the page. It must not contain `<` or `&`, because the page is also XML.
enum PageStyle {
    static let css: Markup = """
        :root{color-scheme:light dark;--ground:#f3f4f7;--paper:#fff;--ink:#1a1e26;--soft:#5a6371;--line:#dde1e8;
        --faint:#eef0f4;--accent:#2b5fd9;--good:#146c43;--good-ground:#e2f3e9;--bad:#b3261e;--bad-ground:#fce9e7;
        --warn:#8a5a00;--warn-ground:#fdf2d8;--bar:#a3aebf;--floor:#cdd4de;--c1:#2b5fd9;--c2:#c6540a;--c3:#0f8257;
        --c4:#8440c4;--c5:#b92b67;--c6:#0a7f8e}
        @media screen and (prefers-color-scheme:dark){:root{--ground:#11141a;--paper:#1a1e26;--ink:#e7eaf0;
        --soft:#a0a9b8;--line:#323946;--faint:#232832;--accent:#7ea4ff;--good:#6fd3a0;--good-ground:#15352a;
        --bad:#ff9a91;--bad-ground:#43201e;--warn:#f1c766;--warn-ground:#3a2f14;--bar:#66728a;--floor:#444d5e;
        --c1:#7ea4ff;--c2:#ff9f58;--c3:#4fcb95;--c4:#c196f5;--c5:#f484ae;--c6:#4cc7d6}}
        *{box-sizing:border-box}
        html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
        body{margin:0;background:var(--ground);color:var(--ink);
        font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
        main{max-width:1000px;margin:0 auto;padding:32px 20px 64px}
        section,header{background:var(--paper);border:1px solid var(--line);border-radius:12px;padding:28px 32px;
        margin:0 0 24px}
        h1{font-size:1.9rem;line-height:1.2;margin:0 0 4px;letter-spacing:-.01em}
        h2{font-size:1.4rem;line-height:1.25;margin:0;letter-spacing:-.01em}
        h3{font-size:.8rem;text-transform:uppercase;letter-spacing:.06em;color:var(--soft);margin:30px 0 8px}
        p{margin:10px 0;max-width:75ch;overflow-wrap:anywhere}
        a{color:var(--accent);text-underline-offset:2px}
        a.term{color:inherit;text-decoration:underline dotted var(--soft);text-underline-offset:3px}
        .soft,figcaption{color:var(--soft)}
        small,.soft{font-size:.875rem}
        code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.86em}
        p code{white-space:nowrap}
        pre{background:var(--faint);border-radius:8px;padding:10px 14px;margin:10px 0;white-space:pre;overflow-x:auto}
        h4{font-size:1.08rem;margin:22px 0 4px}
        .head{display:flex;gap:8px 16px;align-items:baseline;justify-content:space-between;flex-wrap:wrap}
        .lead{font-size:1.08rem}
        .pill{display:inline-block;border-radius:99px;padding:2px 12px;font-size:.875rem;font-weight:600;
        white-space:nowrap}
        .good{color:var(--good)}.bad{color:var(--bad)}.open{color:var(--warn)}
        .pill.good{background:var(--good-ground)}.pill.bad{background:var(--bad-ground)}
        .tiles{display:grid;grid-template-columns:repeat(4,1fr);gap:12px;margin:18px 0;padding:0}
        .tiles.three{grid-template-columns:repeat(3,1fr)}
        .tile{background:var(--faint);border-radius:10px;padding:12px 16px;overflow-wrap:anywhere}
        .tile b{display:block;font-size:1.5rem;line-height:1.25;font-variant-numeric:tabular-nums}
        .tile span{display:block;font-size:.875rem;color:var(--soft);line-height:1.35}
        .tile i{font-style:normal;font-weight:700}
        .scroll{overflow-x:auto}
        .scroll td:first-child,.scroll th:first-child{position:sticky;left:0;background:var(--paper)}
        table{border-collapse:collapse;width:100%;font-size:.94rem;font-variant-numeric:tabular-nums}
        table.fit{width:auto;min-width:min(100%,28rem)}
        th{font-weight:600;font-size:.8rem;color:var(--soft);text-align:left;vertical-align:bottom}
        th,td{padding:7px 16px 7px 0;border-bottom:1px solid var(--line)}
        td{vertical-align:top}
        th:last-child,td:last-child{padding-right:0}
        tr:last-child td{border-bottom:0}
        .n{text-align:right;white-space:nowrap}
        td.name{overflow-wrap:anywhere;min-width:8em}.scroll td.name{min-width:9.5em}
        span.good,span.bad,span.open{white-space:nowrap}
        td small,th small{display:block;color:var(--soft);font-weight:400;font-size:.8rem}
        .belfry td.name{font-weight:650}td.name small{font-weight:400}
        .box{border-radius:10px;padding:12px 18px;margin:16px 0}
        .box ul{margin:6px 0 2px;padding-left:20px}
        .box li{margin:3px 0;overflow-wrap:anywhere}
        .box.bad{background:var(--bad-ground);color:var(--ink)}.box.bad b{color:var(--bad)}
        .box.warn{background:var(--warn-ground)}.box.warn b{color:var(--warn)}
        figure{margin:22px 0 8px}
        figcaption{font-size:.875rem;max-width:85ch;margin:0 0 8px}
        figcaption b{color:var(--ink);font-size:.95rem}
        .legend{display:flex;flex-wrap:wrap;gap:2px 20px;list-style:none;margin:0 0 8px;padding:0;font-size:.875rem}
        .plot{display:grid;grid-template-columns:64px 1fr;padding-right:26px}
        .plot .xs{grid-column:2}
        .plot svg{display:block;overflow:visible}
        .plot text{font-size:12px;fill:var(--soft);font-variant-numeric:tabular-nums}
        .ys text{text-anchor:end}.xs text{text-anchor:middle}
        .axis{font-size:.8rem;color:var(--soft);margin:0 0 8px 64px}.axis.below{text-align:center;margin:2px 0 0 64px}
        .lines path,.legend path{fill:none;stroke:currentColor;stroke-width:2;vector-effect:non-scaling-stroke;
        stroke-linejoin:round}
        .lines path.grid{stroke:var(--line);stroke-width:1}
        .lines path.dot{stroke-width:7;stroke-linecap:round;stroke-dasharray:none}
        .l1{color:var(--c1)}.l2{color:var(--c2)}.l3{color:var(--c3)}.l4{color:var(--c4)}.l5{color:var(--c5)}
        .l6{color:var(--c6)}
        .l2 path{stroke-dasharray:8 4}.l3 path{stroke-dasharray:2 3}.l4 path{stroke-dasharray:12 3 3 3}
        .l5 path{stroke-dasharray:5 2}.l6 path{stroke-dasharray:1 4}
        .standings .n{white-space:normal}.standings .n b{display:block}
        .bars{table-layout:fixed;font-size:.875rem}
        .bars td{vertical-align:middle;padding-top:0;padding-bottom:0;height:38px}
        .bars th,.bars .n small{white-space:normal}
        .c-name{width:13%}.c-m{width:19%}.c-n{width:15%}.c-goal{width:16%}
        .bars td.bar{padding-right:20px}.bars td.name{min-width:0}
        .bars svg{display:block;overflow:visible}
        .bars rect,.bars .median{fill:var(--bar)}
        .bars .belfry rect,.bars .belfry .median{fill:var(--accent)}
        .bars .floor rect,.bars .floor .median{fill:var(--floor);stroke:var(--soft);stroke-width:1.5;stroke-dasharray:3 2}
        .bars line{stroke:var(--ink);stroke-width:1.5}
        .bars line.grid{stroke:var(--line);stroke-width:1}
        .bars line.ours{stroke:var(--accent);stroke-width:1.5;stroke-dasharray:4 3}
        .bars .round{fill:var(--ink);opacity:.55}
        .bars .median{stroke:var(--paper);stroke-width:1.5}
        .bars .mark path{fill:var(--warn);stroke:var(--paper);stroke-width:1.5}
        .bars .ticks td{height:22px;border-bottom-color:var(--soft)}
        .ticks text{font-size:12px;fill:var(--soft);text-anchor:middle;font-variant-numeric:tabular-nums}
        dl{margin:0}
        dt{font-weight:650;margin-top:14px}
        dd{margin:2px 0 0;max-width:80ch}
        dt:target,section:target h2{background:var(--warn-ground)}
        @media screen and (max-width:860px){.tiles{grid-template-columns:repeat(2,1fr)}
        .stack,.stack tbody,.stack tr,.stack td{display:block;width:auto;text-align:left}
        .stack thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
        .stack tr{padding:10px 0;border-bottom:1px solid var(--line)}.stack tr:last-child{border-bottom:0}
        .stack td,.bars td{border:0;padding:1px 0;height:auto;white-space:normal}.stack td.name{font-weight:650}
        .stack td[data-label]::before{content:attr(data-label) ": ";color:var(--soft)}
        .pairs td.name,.pairs td.name+td{display:inline}.pairs td.name::after{content:": ";font-family:inherit}
        .stack td.none{display:none}
        .stack td small,.standings .n b{display:inline}.stack td small::before{content:" ("}
        .stack td small::after{content:")"}.stack td.name small::before,.stack td.name small::after{content:""}
        .stack td.name small{display:block}
        .bars td.bar{padding:0 14px 0 8px}.bars tr.ticks{padding:0;position:sticky;top:0;background:var(--paper);z-index:1}
        .bars tr.ticks td:not(.bar){display:none}}
        @media screen and (max-width:620px){main{padding:12px 8px 40px}section,header{padding:20px 16px;border-radius:10px}
        h1{font-size:1.5rem}.plot{grid-template-columns:48px 1fr;padding-right:16px}.ys{margin-left:-16px}
        .axis,.axis.below{margin-left:48px}.xs .minor{display:none}.plot text{font-size:10.5px}
        .tiles.three{grid-template-columns:1fr;gap:6px}.tiles.three .tile b{font-size:1.2rem}
        table{font-size:.875rem}th,td{padding-right:10px}}
        @media print{body{background:#fff;font-size:11pt}main{max-width:none;padding:0}
        section,header{border:0;border-radius:0;padding:0 0 12px;border-bottom:1px solid var(--line)}
        *{-webkit-print-color-adjust:exact;print-color-adjust:exact}
        figure,tr,.box,.tiles,dd{break-inside:avoid}h2,h3,dt{break-after:avoid}.scroll{overflow:visible}}

        """
}
